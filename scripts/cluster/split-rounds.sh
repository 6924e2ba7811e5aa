#!/usr/bin/env bash
# Settles a claim about one hard position: splits it into lines, solves them here or as job
# arrays of Slurm, joins the answers, and so on in rounds. Run again with the same folder, it continues where it stopped.
#
#   scripts/cluster/split-rounds.sh --claim '>=0' --lines 400 --slurm 16 --folder work 'POSITION' -- --max-nodes 2000000000
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END_OF_USAGE'
Usage: scripts/cluster/split-rounds.sh --claim CLAIM --folder FOLDER [--lines N] [--certainty P] [--proof FILE] [--slurm PARTS] [--submit OPTION].. POSITION [-- OPTION..]

  --claim CLAIM    such as '>=0', about the score of the side to move
  --folder FOLDER  state of the work: `state`, and of each round N.lines and N.answers
  --lines N        lines of the first round (100)
  --certainty P    see `emilia batch split` (0)
  --proof FILE     prove each answer, to N.proofs/ of FOLDER, and make one proof of them all
  --slurm PARTS    solve by scripts/cluster/slurm-solve.sbatch, at most so many jobs a round; else here
  --submit OPTION  one more option for cluster/slurm-solve.sbatch, such as --submit=--mem=8G; as often as needed
  POSITION         64 cells and the side to move, in one argument
  OPTION..         for `emilia solve`, such as --hash, --threads or --max-nodes
END_OF_USAGE
}

declare -A options=([--claim]='' [--folder]='' [--lines]=100 [--certainty]=0 [--proof]='' [--slurm]='')
position='' submit=()
while (($#)); do
    case $1 in
        --claim | --folder | --lines | --certainty | --proof | --slurm)
            (($# >= 2)) || refuse_option "$1" "$1"
            options[$1]=$2
            shift
            ;;
        --submit=*) IFS='=' read -ra words <<< "${1#--submit=}" && submit+=("${words[@]}") ;;
        --help)
            usage
            exit
            ;;
        --)
            shift
            break
            ;;
        -*' '[XO]) position=$1 ;;
        -*) refuse_option "$1" "" ;;
        *) position=$1 ;;
    esac
    shift
done
[[ -n ${options[--claim]} && -n ${options[--folder]} && -n $position ]] || usage_error
emilia=$(find_emilia)
[[ -z ${options[--proof]} ]] || options[--proof]=$(realpath -m "${options[--proof]}")
mkdir -p "${options[--folder]}"
cd "${options[--folder]}"

# `batch split` and `batch join` end with 3 while something is left to solve.
lines_of() {
    local target=$1 status=0
    shift
    "$emilia" batch "$@" > "$target.part" || status=$?
    ((status == 0 || status == 3)) || fail "batch $1 failed"
    mv "$target.part" "$target"
}

# Solves the lines of a round.
answer() {
    local round=$1 status=0 parts
    shift
    [[ -z ${options[--proof]} ]] || set -- --proof "$PWD/$round.proofs/" "$@"
    if [[ -n ${options[--slurm]} ]]; then
        parts=$(grep -vc '^#' "$round.lines")
        ((parts < options[--slurm])) || parts=${options[--slurm]}
        EMILIA=$emilia "$here/scripts/cluster/slurm-solve.sbatch" "${submit[@]}" --parts "$parts" --sbatch=--wait "$round.lines" "$round.parts" -- "$@" \
            > "$round.submitted"
        "$emilia" batch merge --input "$round.lines" "$round.parts"/*.txt > "$round.part" || status=$?
    else
        "$emilia" solve "$@" --output "$round.solved" --resume "$round.lines" || status=$?
        cp "$round.solved" "$round.part"
    fi
    # Unsolved lines (3) are split by the next round.
    ((status == 0 || status == 3)) || fail "round $round was not solved"
    mv "$round.part" "$round.answers"
}

round=1
if [[ ! -f state ]]; then
    lines_of 1.lines split "$position" --claim "${options[--claim]}" --to "${options[--lines]}" \
        --certainty "${options[--certainty]}" --state state
elif [[ ! -f 1.lines ]]; then
    lines_of 1.lines join --state state
fi
while [[ -f $((round + 1)).lines ]]; do
    round=$((round + 1))
done
while :; do
    head -n 1 "$round.lines" | sed "s/^# /round $round: /"
    grep -qv '^#' "$round.lines" || break
    [[ -f $round.answers ]] || answer "$round" "$@"
    lines_of "$((round + 1)).lines" join --state state "$round.answers"
    round=$((round + 1))
done
cat -- *.answers | awk -F '\t' '{ lines++; nodes += $6 } END { printf "%d lines were solved in %.0f nodes\n", lines, nodes }'
if [[ -n ${options[--proof]} ]]; then
    "$emilia" proof join --state state --output "${options[--proof]}" ./*.proofs/*.proof
fi
