#!/usr/bin/env bash
# Changes the code in one place at a time, as an error would, and counts how many such mutants the tests of that code catch.
# Mutants that change nothing a test could see are listed in .cargo/mutants.toml, each with its reason.
#
#   cargo install cargo-mutants --locked && scripts/check/mutants.sh --minutes 30 --shard 1/4 rules score
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/mutants.sh [--minutes N] [--shard K/N] [--out FOLDER] [PART..]

  --minutes N   minutes for each part, after which the rest of its mutants is left out (30)
  --shard K/N   only this share of the mutants (0/1: all); K counts from 0
  --out FOLDER  where the lists go (target/mutants)
  PART          rules score checker answers commit readers (all if left out); each is tried with its own tests alone

A part ends with its number of mutants and how many of them were tried, caught, survived, hung (caught as well) and did
not compile. Exit status 0 if none survived.
END
}

declare -A options=([--minutes]=30 [--shard]=0/1 [--out]=$here/target/mutants)
take() { options[$1]=$2; }
read_arguments "" "${!options[*]}" "$@"
parts=("${operands[@]}")
((${#parts[@]})) || parts=(rules score checker answers commit readers)
[[ ${options[--minutes]} =~ ^[1-9][0-9]*$ && ${options[--shard]} =~ ^[0-9]+/[1-9][0-9]*$ ]] || usage_error
need cargo timeout
cargo mutants --version > /dev/null 2>&1 \
    || fail "cargo-mutants is missing: install it with 'cargo install cargo-mutants --locked'"
cd "$here"

# The package of a part, its files, and the tests of these: `part NAME`.
part() {
    case $1 in
        rules) package=emilia-core files=('crates/core/src/rules/*.rs') tests=(--lib rules::) ;;
        score) package=emilia-core files=('crates/core/src/score/*.rs') tests=(--lib score::) ;;
        checker) package=emilia-verify files=('verify/src/*.rs') tests=() ;;
        answers) package=emilia files=('src/batch/answer/*.rs') tests=(--lib batch::) ;;
        commit) package=emilia files=(src/book/{store,writer,record,block,entry}.rs) tests=(--lib book::) ;;
        readers) package=emilia files=('src/formats/*.rs' 'src/book/exchange/*.rs') tests=(--lib 's::') ;;
        *) fail "there is no part $1; see --help" ;;
    esac
}

# The lines of a list of cargo-mutants.
count() {
    sed -n "\$=" "$1" 2> /dev/null | grep . || echo 0
}

survived=0
for name in "${parts[@]}"; do
    part "$name"
    out=${options[--out]}/$name
    mkdir -p "$out"
    arguments=(--package "$package" --shard "${options[--shard]}")
    for file in "${files[@]}"; do
        arguments+=(--file "$file")
    done
    all=$(cargo mutants --list "${arguments[@]}" | wc -l)
    # Mutants take longer to build than to try.
    timeout --signal INT "${options[--minutes]}m" \
        cargo mutants "${arguments[@]}" --output "$out" --timeout 120 --build-timeout 900 --no-shuffle \
        --cargo-arg=--config=profile.dev.package.emilia-core.opt-level=0 --cargo-arg=--locked \
        -- "${tests[@]}" > "$out/log" 2>&1 || true
    lists=$out/mutants.out
    [[ -f $lists/outcomes.json ]] || fail "the tests of $name do not pass without a mutant: see $out/log"
    caught=$(count "$lists/caught.txt") missed=$(count "$lists/missed.txt")
    hung=$(count "$lists/timeout.txt") unviable=$(count "$lists/unviable.txt")
    tried=$((caught + missed + hung + unviable))
    echo "$name: $tried of $all mutants tried: $caught caught, $missed survived, $hung hung, $unviable do not compile"
    cat "$lists/missed.txt"
    survived=$((survived + missed))
done
((survived == 0))
