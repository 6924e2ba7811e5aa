#!/usr/bin/env bash
# Estimates what a proof of many claims costs: walks random lines with `emilia batch probe`, solves their ends, and
# so on until no line is left. Run again with the same folder, it continues where it stopped.
#
#   scripts/cluster/probe-rounds.sh --folder work --hash 256 claims.txt --limit 1e7 --limit 1e6 --count 500 --seed 1
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/cluster/probe-rounds.sh --folder FOLDER [--hash MB] [--max-nodes N] [--threads N] CLAIMS OPTION..

  --folder FOLDER  the work: of each round N.lines and N.answers
  --hash MB        memory of the hash table of each thread (256)
  --max-nodes N    give an end up after so many nodes (2000000000)
  --threads N      ends that are solved at a time (1)
  CLAIMS           positions with claims, tab-separated, neighbours alike
  OPTION..         for `emilia batch probe`, such as --limit, --empties, --count, --seed, --whole

Ends are solved one by one with tables of their own, so that all nodes come out again. Prints what the probes say.
END
}

folder='' claims='' hash=256 max_nodes=2000000000 threads=1
while (($#)) && [[ -z $claims ]]; do
    case $1 in
        --folder | --hash | --max-nodes | --threads)
            (($# >= 2)) || refuse_option "$1" "$1"
            name=${1#--}
            printf -v "${name/-/_}" '%s' "$2"
            shift
            ;;
        --help)
            usage
            exit
            ;;
        -*) refuse_option "$1" "" ;;
        *) claims=$1 ;;
    esac
    shift
done
[[ -n $folder && -n $claims ]] || usage_error
need_files "$claims"
emilia=$(find_emilia)
mkdir -p "$folder"

answers=()
for ((round = 1; ; round++)); do
    lines=$folder/$round.lines
    # `batch probe` and `solve` end with 3 while something is left to solve.
    if [[ ! -f $lines ]]; then
        status=0
        "$emilia" batch probe "${answers[@]}" "$@" "$claims" > "$lines.part" || status=$?
        if ((status == 0)); then
            cat "$lines.part"
            exit
        fi
        ((status == 3)) || fail "round $round has no lines"
        mv "$lines.part" "$lines"
    fi
    if [[ ! -f $folder/$round.answers ]]; then
        status=0
        "$emilia" solve --deterministic --memo 0 --hash "$hash" --threads "$threads" --max-nodes "$max_nodes" \
            --output "$folder/$round.solved" --resume "$lines" || status=$?
        ((status == 0 || status == 3)) || fail "round $round was not solved"
        mv "$folder/$round.solved" "$folder/$round.answers"
    fi
    answers+=(--answers "$folder/$round.answers")
done
