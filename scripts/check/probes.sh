#!/usr/bin/env bash
# Compares what `emilia batch probe` estimates with the truth: claims about positions of its own games are solved
# through their whole trees, and estimated by probes. Prints both, and in how many the 95% interval holds the truth.
#
#   scripts/check/probes.sh --count 20 --probes 100
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/probes.sh [--count N] [--probes N] [--limit N] [--depth N] [--seed N] [--min-empties N] [--max-empties N] [--max-nodes N]

  --count N        positions (20)
  --probes N       lines through the tree of each (100)
  --limit N        lines end where a claim is estimated to cost so many nodes (10000)
  --depth N        plies of the search that prefers moves (8)
  --seed N         which positions and lines (1)
  --min-empties N  fewest empty squares (26)
  --max-empties N  most empty squares (30)
  --max-nodes N    positions that take more to solve are left out, and those below 20 limits (50000000)
END
}

declare -A options=([--count]=20 [--probes]=100 [--limit]=10000 [--depth]=8 [--seed]=1 [--min-empties]=26 [--max-empties]=30 [--max-nodes]=50000000)
read_numbers "$@"
need awk
emilia=$(find_emilia)
export EMILIA=$emilia
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$emilia" positions --seed "${options[--seed]}" --count $((5 * options[--count])) --depth 3 \
    --min-empties "${options[--min-empties]}" --max-empties "${options[--max-empties]}" \
    | grep -v '^%' | cut -d ';' -f 1 > "$work/positions"
status=0
"$emilia" solve --wld --deterministic --memo 0 --hash 64 --max-nodes "${options[--max-nodes]}" "$work/positions" > "$work/solved" \
    || status=$?
((status == 0 || status == 3)) || fail "the positions were not solved"
# A claim is one that is true: the side to move at least, or at most, draws.
awk -F '\t' -v least=$((20 * options[--limit])) -v count="${options[--count]}" 'NR == FNR { position[NR] = $1; next }
    $2 != "unsolved" && $6 >= least && ++found <= count {
        print position[FNR] "\t" ($2 == "loss" ? "<=0" : ">=0") "\t" $6
    }' "$work/positions" "$work/solved" > "$work/claims"
count=$(wc -l < "$work/claims")

rounds() {
    "$here/scripts/cluster/probe-rounds.sh" --folder "$work/$1" "$work/claim" --limit "${options[--limit]}" \
        --depth "${options[--depth]}" "${@:2}" 2> "$work/log" | tail -n 1 || fail "$(tail -n 1 "$work/log")"
}

for ((number = 1; number <= count; number++)); do
    sed -n "${number}p" "$work/claims" > "$work/claim"
    whole=$(rounds "whole$number" --whole)
    probed=$(rounds "probed$number" --count "${options[--probes]}" --seed "${options[--seed]}")
    printf '%s\t%s\t%s\t%s\n' "$number" "$(cut -f 3 "$work/claim")" \
        "$(cut -f 3,5,7,8,9 <<< "$whole")" "$(cut -f 3,4,5,6,9 <<< "$probed")"
done | awk -F '\t' '
    BEGIN { print "position\tone solve\twhole: nodes\tends\tboards\tof these\trefuted\tprobed: nodes\t95%\tends\t95%\trefuted\theld" }
    {
        split($9, ends, /\.\./)
        held = ends[1] <= $3 && $3 <= ends[2]
        count += held
        logs += log($8 / $3)
        print $0 "\t" (held ? "yes" : "no")
    }
    END { printf "held %d of %d; probed over whole, geometric mean %.2f\n", count, NR, exp(logs / NR) }'
