#!/usr/bin/env bash
# Solves leaves of 36 empties, as the weak solution of Othello (2023) has 1.5 billion of, and
# prints what they cost: total, mean with its standard error, geometric mean, the five hardest, and what
# all leaves would cost at the speed of this run. One thread a position, so that the nodes are those of
# every run and can be compared.
#
#   scripts/check/leaf36.sh --claims --threads 2 tests/data/leaf-36.txt
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/leaf36.sh [--claims | --wld] [--threads N] [--hash MB] [--answers FILE] [LIST]

  --wld            ask who wins (the default)
  --claims         ask what the second field of each line claims
  --threads N      positions at a time (1)
  --hash MB        memory of the hash table of each thread (1024)
  --answers FILE   keep the answers here; a run that was killed continues with them
  LIST             positions with claims, tab-separated (tests/data/leaf-36.txt)
END
}

claims=false threads=1 hash=1024 answers=''
take() {
    case $1 in
        --claims) claims=true ;;
        --wld) claims=false ;;
        *) printf -v "${1#--}" '%s' "$2" ;;
    esac
}
read_arguments "--claims --wld" "--threads --hash --answers" "$@"
((${#operands[@]} <= 1)) || usage_error
list=${operands[0]:-$here/tests/data/leaf-36.txt}
need_files "$list"
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

questions=$work/questions
if $claims; then
    cp "$list" "$questions"
else
    cut -f 1 "$list" > "$questions"
fi
"$emilia" solve --wld --deterministic --threads "$threads" --hash "$hash" \
    --output "${answers:-$work/answers}" --resume --stats "$work/stats" "$questions"

# Of this run: its rate, not its nodes, which a run that was continued has only in part.
rate=$(awk '/"(nodes|microseconds)":/ { gsub(/[",:]/, ""); sum[$1] += $2 }
    END { print sum["microseconds"] ? sum["nodes"] / 2 / sum["microseconds"] * 1e6 : 0 }' "$work/stats")
awk -F '\t' -v rate="$rate" '
    {
        nodes = $6
        total += nodes
        squares += nodes * nodes
        logs += log(nodes > 0 ? nodes : 1)
        results[$2]++
        for (place = 5; place > 0 && nodes > most[place]; place--) {
            most[place + 1] = most[place]; line[place + 1] = line[place]
        }
        most[place + 1] = nodes; line[place + 1] = $1
    }
    END {
        mean = total / NR
        error = NR > 1 ? sqrt((squares / NR - mean * mean) / (NR - 1)) : 0
        printf "%d positions, %.4g nodes, mean %.4g (standard error %.2g), geometric mean %.4g\n", NR, total, mean, error, exp(logs / NR)
        for (result in results) printf "%s %d\n", result, results[result]
        for (place = 1; place <= 5 && line[place] != ""; place++)
            printf "line %s: %.4g nodes, %.1f%%\n", line[place], most[place], 100 * most[place] / total
        if (rate > 0) {
            # 1.5e9 leaves; a year has 3.16e7 seconds.
            years = 1.5e9 / rate / 3.16e7
            printf "%.3g nodes/s a thread: all 1.5e9 leaves %.3g core-years, standard error %.2g\n", rate, years * mean, years * error
        }
    }' "${answers:-$work/answers}"
