#!/usr/bin/env bash
# Solves a file of positions on several machines by GNU parallel over ssh. Each part is one job; a
# job of a machine that fails goes to another one, and continues where it stopped.
#
#   scripts/cluster/parallel-solve.sh --hosts hosts.txt --parts 64 positions.txt answers -- --wld
set -euo pipefail

usage() {
    cat <<'END_OF_USAGE'
Usage: scripts/cluster/parallel-solve.sh --hosts FILE [--parts N] [--threads N] [--hash MB] [--retries N] INPUT FOLDER [-- OPTION..]

  --hosts FILE   machines, one `JOBS/user@host` a line, as --sshloginfile of parallel reads them; `:` is this one
  --parts N      parts of the input (64); several for each machine, so that all end together
  --threads N    threads of a job, one position each (1)
  --hash MB      memory of the hash tables of a job (256)
  --retries N    how often a part is tried, on another machine where possible (5)
  INPUT          positions, which all machines can read at the same path
  FOLDER         a new or an earlier one, which all machines can write: answers as PART.txt, joblog
  OPTION..       for `emilia solve`, such as --wld or --max-nodes

EMILIA names the binary (else the one in PATH), at the same path on all machines. Run again after a
failure, it does only what is left. PARALLEL_SSH can name another ssh and its options.
Exit status 0 if all parts are solved, else their number, as of parallel.
END_OF_USAGE
}

hosts='' parts=64 threads=1 hash=256 retries=5
while (($#)); do
    case $1 in
        --hosts | --parts | --threads | --hash | --retries)
            (($# >= 2)) || { echo "cluster/parallel-solve.sh: option $1 needs a value; see --help" >&2; exit 2; }
            declare "${1#--}=$2"
            shift
            ;;
        --help | -h)
            usage
            exit
            ;;
        -*)
            echo "cluster/parallel-solve.sh: unknown option $1; see --help" >&2
            exit 2
            ;;
        *) break ;;
    esac
    shift
done
if [[ -z $hosts ]] || (($# < 2)) || [[ $# -gt 2 && $3 != -- ]]; then
    usage >&2
    exit 2
fi
hosts=$(realpath "$hosts") input=$(realpath "$1") folder=$(realpath -m "$2")
shift 2
(($# == 0)) || shift
command -v parallel > /dev/null || { echo "GNU parallel is missing" >&2; exit 1; }
emilia=$(command -v "${EMILIA:-emilia}") || { echo "EMILIA names no program" >&2; exit 1; }
emilia=$(realpath "$emilia")
mkdir -p "$folder"
# Parts of another number would not fit together.
if [[ -f $folder/parts && $(< "$folder/parts") != "$parts" ]]; then
    echo "$folder has answers of $(< "$folder/parts") parts: continue with --parts $(< "$folder/parts"), or name another folder" >&2
    exit 1
fi
echo "$parts" > "$folder/parts"

# A machine that does not answer for half a minute has failed.
export PARALLEL_SSH=${PARALLEL_SSH:-ssh -o ServerAliveInterval=10 -o ServerAliveCountMax=3 -o ConnectTimeout=10}
solve=$(printf '%q ' "$emilia" solve --threads "$threads" --hash "$hash" --resume "$@" "$input")
# Unsolved lines (3) are no failure of the job: the merged answers have them.
seq "$parts" | parallel --sshloginfile "$hosts" --joblog "$folder/joblog" --resume-failed --retries "$retries" \
    "$solve --shard {}/$parts --output $(printf %q "$folder")/{}.txt 2>> $(printf %q "$folder")/{}.log; status=\$?; [ \$status -eq 3 ] || exit \$status"
