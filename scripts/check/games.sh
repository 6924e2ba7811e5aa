#!/usr/bin/env bash
# Solves positions from games with the search and with the slow reference solver:
# exact scores must be equal, win/loss/draw results must be their signs, with one thread
# and with two. The games are Emilia's own, or those of a file of transcripts.
#
#   scripts/check/games.sh --count 500
#   scripts/check/games.sh --games wthor.txt.gz
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/games.sh [--count N] [--min-empties N] [--max-empties N] [--seed N]
                              [--games FILE] [--portable]

  --count N        positions (2000)
  --min-empties N  fewest empty squares (12)
  --max-empties N  most empty squares (16)
  --seed N         which games and positions (1)
  --games FILE     a file of transcripts, one game a line (.gz is unpacked)
  --portable       with a build for any x86-64

Exit status 0 if everything agrees.
END
}

portable=false
declare -A options=([--count]=2000 [--min-empties]=12 [--max-empties]=16 [--seed]=1)
take() {
    case $1 in
        --portable) portable=true ;;
        *) options[$1]=$2 ;;
    esac
}
read_options "--portable" "--count --min-empties --max-empties --seed --games" "$@"
[[ -z ${options[--games]:-} ]] || need_files "${options[--games]}"

if $portable; then
    emilia=$(build portable)
else
    emilia=$(find_emilia)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
positions=()
for option in "${!options[@]}"; do
    positions+=("$option" "${options[$option]}")
done
"$emilia" positions "${positions[@]}" > "$work/positions.obf"
echo "$(grep -vc '^%' "$work/positions.obf") positions; the reference solver proves their scores .."
"$emilia" solve --reference --obf "$work/positions.obf" > "$work/proven.obf"

failed=0
for mode in --exact --wld; do
    for threads in 1 2; do
        echo "== $mode --threads $threads"
        if ! "$emilia" solve --check "$mode" --threads "$threads" "$work/proven.obf" > "$work/answers"; then
            grep -E $'mismatch|\terror\t' "$work/answers" || true
            failed=1
        fi
    done
done
exit "$failed"
