#!/usr/bin/env bash
# Times the solver on OBF files: seconds and nodes of every position on one thread, exact
# and win/loss/draw, and the seconds of all of them on more threads, one position at a
# time. Prints a Markdown table.
#
#   scripts/check/ffo.sh --threads 2 ffo/fforum-40-59.obf > table.md
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/ffo.sh [--lines FIRST-LAST] [--threads N] [--hash MB] [--summary] FILE..

  --lines FIRST-LAST  only these lines of each file
  --threads N         also solve with N threads on each position (not if left out)
  --hash MB           memory of the hash table (1024)
  --summary           totals and means only, no line for each position

Run it on an idle machine.
END
}

lines=
threads=
hash=1024
summary=false
take() {
    case $1 in
        --lines) lines=$2 ;;
        --threads) threads=$2 ;;
        --hash) hash=$2 ;;
        --summary) summary=true ;;
    esac
}
read_files "--summary" "--lines --threads --hash" "$@"
emilia=$(find_emilia)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "${files[@]}"; do
    if [[ -n $lines ]]; then
        sed -n "${lines/-/,}p" "$file"
    else
        cat "$file"
    fi
done | grep -v '^[%#]' > "$work/positions.obf"

failed=false

# All threads work on one position at a time.
solve_all() {
    "$emilia" solve --check --together --hash "$hash" "$@" "$work/positions.obf" 2>> "$work/checks" || failed=true
}

solve_all --exact --threads 1 > "$work/exact"
solve_all --wld --threads 1 > "$work/wld"
if [[ -n $threads ]]; then
    solve_all --exact --threads "$threads" > "$work/exact-threads"
    solve_all --wld --threads "$threads" > "$work/wld-threads"
fi

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $("$emilia" --version), hash $hash MB"
echo
if ! $summary; then
    echo "| # | score | exact s | exact nodes | wld s | wld nodes |"
    echo "|--:|--:|--:|--:|--:|--:|"
    paste "$work/exact" "$work/wld" | awk -F'\t' '
        { printf "| %d | %s | %.3f | %d | %.3f | %d |\n", NR, $3, $7 / 1000, $6, $16 / 1000, $15 }'
    echo
fi

# One row: name, total seconds, mean milliseconds, nodes, millions of nodes a second.
total() {
    awk -F'\t' -v name="$1" '
        { seconds += $7 / 1000; nodes += $6 }
        END {
            rate = seconds > 0 ? nodes / seconds / 1e6 : 0
            printf "| %s | %.3f | %.1f | %d | %.1f |\n", name, seconds, 1000 * seconds / NR, nodes, rate
        }' "$2"
}
echo "| mode | seconds | mean ms | nodes | M nodes/s |"
echo "|:--|--:|--:|--:|--:|"
total "exact, 1 thread" "$work/exact"
total "wld, 1 thread" "$work/wld"
if [[ -n $threads ]]; then
    total "exact, $threads threads" "$work/exact-threads"
    total "wld, $threads threads" "$work/wld-threads"
    echo
    for mode in exact wld; do
        paste "$work/$mode" "$work/$mode-threads" | awk -F'\t' -v mode="$mode" -v threads="$threads" '
            { one += $7; more += $16 }
            END { printf "Speed-up of %s on %d threads: %.2f\n", mode, threads, (more > 0 ? one / more : 0) }'
    done
fi
if $failed; then
    cat "$work/checks" >&2
    grep -hE $'mismatch|\terror\t' "$work"/exact* "$work"/wld* >&2 || true
    echo "some positions were not solved, or do not agree with the known scores" >&2
    exit 1
fi
