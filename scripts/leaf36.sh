#!/usr/bin/env bash
# Solves leaves of 36 empties, as the weak solution of Othello (2023) has 1.5 billion of, and
# prints what they cost: total, geometric mean, and the five hardest. One thread a position,
# so that the nodes are those of every run and can be compared.
#
#   scripts/leaf36.sh --claims --threads 2 tests/data/leaf-36.txt
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/leaf36.sh [--claims | --wld] [--threads N] [--hash MB] [--answers FILE] [LIST]

  --wld            ask who wins (the default)
  --claims         ask what the second field of each line claims
  --threads N      positions at a time (1)
  --hash MB        memory of the hash table of each thread (1024)
  --answers FILE   keep the answers here; a run that was killed goes on with them
  LIST             positions with claims, tab-separated (tests/data/leaf-36.txt)
END
}

claims=false
threads=1
hash=1024
answers=
list=
while (($#)); do
    case $1 in
        --claims) claims=true ;;
        --wld) claims=false ;;
        --threads | --hash | --answers)
            (($# >= 2)) || { usage >&2; exit 2; }
            case $1 in
                --threads) threads=$2 ;;
                --hash) hash=$2 ;;
                --answers) answers=$(realpath "$2") ;;
            esac
            shift
            ;;
        --help | -h)
            usage
            exit
            ;;
        -*)
            usage >&2
            exit 2
            ;;
        *) list=$(realpath "$1") ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
list=${list:-$(realpath tests/data/leaf-36.txt)}
cargo build --release --quiet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

questions=$work/questions
if $claims; then
    cp "$list" "$questions"
else
    cut -f 1 "$list" > "$questions"
fi
"$target/release/emilia" solve --wld --deterministic --threads "$threads" --hash "$hash" \
    --output "${answers:-$work/answers}" --resume --stats "$work/stats" "$questions"

awk -F '\t' '
    {
        nodes = $5
        total += nodes
        logs += log(nodes > 0 ? nodes : 1)
        results[$2]++
        for (place = 5; place > 0 && nodes > most[place]; place--) {
            most[place + 1] = most[place]; line[place + 1] = line[place]
        }
        most[place + 1] = nodes; line[place + 1] = $1
    }
    END {
        printf "%d positions, %.4g nodes, mean %.4g, geometric mean %.4g\n", NR, total, total / NR, exp(logs / NR)
        for (result in results) printf "%s %d\n", result, results[result]
        for (place = 1; place <= 5 && line[place] != ""; place++)
            printf "line %s: %.4g nodes, %.1f%%\n", line[place], most[place], 100 * most[place] / total
    }' "${answers:-$work/answers}"
