#!/usr/bin/env bash
# Solves positions out of games with the search and with the slow reference solver:
# exact scores must be equal, win/loss/draw results must be their signs, with one thread
# and with two. The games are Emilia's own, or those of a file of transcripts.
#
#   scripts/check-games.sh --count 500
#   scripts/check-games.sh --games wthor.txt.gz
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/check-games.sh [--count N] [--min-empties N] [--max-empties N] [--seed N]
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
while (($#)); do
    case $1 in
        --count | --min-empties | --max-empties | --seed)
            options[$1]=${2:?$1 needs a number}
            shift
            ;;
        --games)
            options[--games]=$(realpath "${2:?--games needs a file}")
            shift
            ;;
        --portable) portable=true ;;
        --help | -h)
            usage
            exit
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if $portable; then
    export RUSTFLAGS="-C target-cpu=x86-64"
    cargo build --release --quiet --target-dir "$target/portable"
    emilia=$target/portable/release/emilia
else
    cargo build --release --quiet
    emilia=$target/release/emilia
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
