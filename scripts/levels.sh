#!/usr/bin/env bash
# Plays each level of strength against the one before it, without a clock, and prints the figures of the table in docs/HOSTS.md.
#
#   scripts/levels.sh --games 200 --from 2 --to 22
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'END'
Usage: scripts/levels.sh [--games N] [--from N] [--to N] [--seed N]

  --games N  games of each step (200)
  --from N   the first level that is measured, against the one below it (2)
  --to N     the last one (the strongest)
  --seed N   of the players and of the order of openings (1)

Prints for each step a line: level, share of the points against the level below, and the 95% interval as `match` has it.
END
}

declare -A options=([--games]=200 [--from]=2 [--to]=0 [--seed]=1)
read_numbers "$@"
need awk grep
emilia=$(find_emilia)
last=${options[--to]}
if ((last == 0)); then
    last=$(printf 'emilia-levels\nquit\n' | "$emilia" gtp --hash 1 | grep -c 'level ')
fi
seed=${options[--seed]}
for ((level = options[--from]; level <= last; level++)); do
    command="$emilia gtp --hash 16 --seed $seed --level"
    "$emilia" match --openings "$here/tests/data/openings-8ply.txt" --shuffle "$seed" --games "${options[--games]}" --each untimed \
        --engine "upper|gtp|$command $level" --engine "lower|gtp|$command $((level - 1))" \
        | awk -v level="$level" '
            /^[0-9]+\t/ { black = $2 == "upper"; discs = black ? $4 : -$4; games++; points += discs > 0 ? 1 : discs == 0 ? 0.5 : 0 }
            END { share = points / games; error = 1.96 * sqrt(share * (1 - share) / games)
                  printf "| %d | %.1f%% | ±%.1f%% | %d |\n", level, 100 * share, 100 * error, games }'
done
