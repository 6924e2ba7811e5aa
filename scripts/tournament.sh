#!/usr/bin/env bash
# Plays a tournament between the engines of a list. Every game is saved as it ends, and the
# same command continues after an interruption. Prints one line for each game, its fields
# between tabs (game, black, white, discs for black, ending, opening, note), and the tables
# at the end. Fails if an engine cannot be started.
#
#   scripts/tournament.sh --each tc=10+0.1 --games 600 --out games engines.txt \
#       | awk -F '\t' '$4 == "+0" { draws++ } END { print draws + 0, "draws" }'
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'END'
Usage: scripts/tournament.sh [OPTION..] ENGINES

ENGINES is a file with one engine a line, `name|protocol|command|settings` as in
`emilia match --help`; blank lines and lines that begin with # are skipped:

  emilia|ugi|target/release/emilia ugi|option.Threads=1
  rhino|gtp|gtp-rhino --level=3|passes=implied untimed

  --gauntlet         the first engine meets each of the others (everyone meets everyone)
  --each BUDGET      depth=N, nodes=N, st=S, tc=S+S or untimed (tc=10+0.1)
  --games N          all games together (every opening with both colours)
  --openings FILE    transcripts or positions, one a line (tests/data/openings-8ply.txt)
  --shuffle SEED     the openings in another order
  --concurrency N    games at once (1)
  --adjudicate N     end games at N empties by an exact solve
  --out FILE         games go to FILE.jsonl and FILE.ggf, the ratings to FILE.svg (tournament)

The games already in FILE.jsonl are not played again. EMILIA names the binary; if it is not
set, the release build of this repository is used.
END
}

openings=$here/tests/data/openings-8ply.txt
out=tournament
each=tc=10+0.1
options=()
take() {
    case $1 in
        --gauntlet) options+=(--format gauntlet) ;;
        --each | --openings | --out) printf -v "${1#--}" '%s' "$2" ;;
        *) options+=("$@") ;;
    esac
}
read_arguments "--gauntlet" "--each --openings --out --games --shuffle --concurrency --adjudicate" "$@"
((${#operands[@]} == 1)) || usage_error
engines=${operands[0]}
need_files "$engines" "$openings"

emilia=$(find_emilia)
exec "$emilia" match --engines "$engines" "${options[@]}" --each "$each" --openings "$openings" \
    --save "$out" --resume --svg "$out.svg"
