#!/usr/bin/env bash
# Is this working tree stronger than another commit? Builds both, each in a folder of its
# own under target/sprt, and plays them against each other over UGI until a sequential
# probability ratio test decides. Every game is saved, and the same command continues after an
# interruption.
#
#   scripts/sprt.sh --each tc=10+0.1 --concurrency 2 main
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'END'
Usage: scripts/sprt.sh [OPTION..] COMMIT
       scripts/sprt.sh [OPTION..] --new BINARY --old BINARY

  --elo0 E           H0: this tree is E Elo stronger (0)
  --elo1 E           H1: this tree is E Elo stronger (5)
  --each BUDGET      for both: depth=N, nodes=N, st=S, tc=S+S (tc=10+0.1)
  --hash MB          memory of each hash table (64)
  --threads N        search threads of each (1)
  --games N          stop after N games in any case (40000)
  --openings FILE    transcripts or positions, one a line (tests/data/openings-8ply.txt)
  --concurrency N    games at once (1)
  --out FILE         games go to FILE.jsonl and FILE.ggf (target/sprt/OLD-NEW)
  --new BINARY       instead of building this tree
  --old BINARY       instead of building COMMIT

Ends with the line of the test: its log-likelihood ratio, and which hypothesis it accepts.
END
}

builds=$here/target/sprt
elo0=0
elo1=5
each=tc=10+0.1
hash=64
threads=1
openings=$here/tests/data/openings-8ply.txt
games=40000
concurrency=1
out=
new=
old=
take() {
    printf -v "${1#--}" '%s' "$2"
}
read_arguments "" "--elo0 --elo1 --each --hash --threads --games --openings --concurrency --out --new --old" "$@"
((${#operands[@]} <= 1)) || usage_error
commit=${operands[0]:-}
[[ -n $commit || -n $old ]] || usage_error

need_files "$openings"

# Builds the sources of folder $1 into folder $2, and prints where the binary is.
build_into() {
    need cargo
    (cd "$1" && CARGO_TARGET_DIR=$2 cargo build --release --locked --quiet) \
        || fail "the build of $1 failed"
    printf '%s\n' "$2/release/emilia"
}

old_name=old
if [[ -z $old ]]; then
    need git
    id=$(git -C "$here" rev-parse --verify --short=12 "$commit^{commit}")
    old_name=$id
    old=$builds/$id/release/emilia
    if [[ ! -x $old ]]; then
        sources=$builds/$id-sources
        [[ -d $sources ]] || git -C "$here" worktree add --quiet --detach "$sources" "$id"
        old=$(build_into "$sources" "$builds/$id")
        git -C "$here" worktree remove --force "$sources"
    fi
fi

new_name=new
mkdir -p "$builds"
if [[ -z $new ]]; then
    need git
    new_name=$(git -C "$here" describe --always --abbrev=12 --dirty)
    # A copy: the next build of this tree must not change a match that is being played.
    new=$builds/emilia-$new_name
    cp "$(build_into "$here" "$builds/this")" "$new"
fi
# A tree without changes against its own commit is a check of the test itself.
[[ $new_name != "$old_name" ]] || old_name+=-again

settings="option.Hash=$hash option.Threads=$threads"
"$new" match \
    --engine "$new_name|ugi|'$new' ugi|$settings" \
    --engine "$old_name|ugi|'$old' ugi|$settings" \
    --each "$each" --openings "$openings" --games "$games" --concurrency "$concurrency" \
    --sprt "elo0=$elo0" "elo1=$elo1" --save "${out:-$builds/$old_name-$new_name}" --resume
