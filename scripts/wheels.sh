#!/usr/bin/env bash
# Builds wheels of the Python package, for computers without Rust.
#
#   scripts/wheels.sh [--out DIR] [--profile PROFILE] [TARGET..]
#
# A TARGET is x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu or x86_64-pc-windows-gnu, or on a Mac
# aarch64-apple-darwin; without one, the first. DIR (default: target/wheels) gets a wheel for each, of at most
# 21 MB. PROFILE is one of cargo's (default: release).
#
# The wheel for x86-64 Linux has three libraries, of which the import chooses one, and the weights once. Each wheel
# has the licences of all crates inside. The tag (manylinux) says which systems it runs on: the one that builds
# or newer; with the package ziglang of Python installed, any since 2014. Needs maturin, python3, rustup's targets, and
# for other targets gcc-aarch64-linux-gnu or mingw-w64.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
}

out=$here/target/wheels profile=release
take() {
    case $1 in
        --out) out=$(realpath -m "$2") ;;
        --profile) profile=$2 ;;
    esac
}
read_arguments "" "--out --profile" "$@"
targets=("${operands[@]}")
((${#targets[@]})) || targets=(x86_64-unknown-linux-gnu)
need cargo maturin python3 git
cd "$here"

# Bytes of a wheel, at most.
readonly MOST_BYTES=21000000

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
has_zig=
if python3 -m ziglang version > /dev/null 2>&1; then
    has_zig=1
else
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
fi
unset CARGO_ENCODED_RUSTFLAGS

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# `compile TARGET CPU FOLDER [FLAG..]`: a wheel with one library, without the paths of this computer.
compile() {
    local target=$1 cpu=$2 folder=$3 zig=()
    shift 3
    local flags
    flags="-C target-cpu=$cpu --cfg packed_weights $(remaps) $*"
    if [[ $target == *linux* && -n $has_zig ]]; then
        zig=(--zig --compatibility manylinux2014)
    fi
    printf '%s, %s\n' "$target" "$cpu" >&2
    (cd bindings/python && RUSTFLAGS=$flags maturin build --locked --quiet --profile "$profile" \
        --target "$target" --target-dir "$here/target/wheel-$cpu" --out "$folder" "${zig[@]}") \
        || fail "the build failed"
}

mkdir -p "$out"
# Packed smaller than the program needs them: a minute that 0.7 MB of each wheel are worth.
EMILIA_WEIGHTS=$here/target/pack/weights.bin
export EMILIA_WEIGHTS
cargo run --release --locked --quiet --manifest-path web/pack/Cargo.toml --target-dir target/pack -- \
    crates/core/src/eval/weights.bin "$EMILIA_WEIGHTS" || fail "the weights cannot be packed"
for target in "${targets[@]}"; do
    case $target in
        x86_64*linux*)
            compile "$target" x86-64 "$stage/$target"
            for tier in v3 v4; do
                compile "$target" "x86-64-$tier" "$stage/$target-$tier" --cfg tier_library
            done
            tiers=("v3=$(echo "$stage/$target-v3"/*.whl)" "v4=$(echo "$stage/$target-v4"/*.whl)")
            ;;
        x86_64*) compile "$target" x86-64-v3 "$stage/$target" && tiers=() ;;
        aarch64-apple*) compile "$target" apple-m1 "$stage/$target" && tiers=() ;;
        *) compile "$target" generic "$stage/$target" && tiers=() ;;
    esac
    made=$(python3 scripts/pack_wheel.py "$out" "$stage/$target"/*.whl "${tiers[@]}")
    bytes=$(stat -c %s "$made" 2> /dev/null || stat -f %z "$made")
    printf '%s: %d bytes\n' "$made" "$bytes"
    ((bytes <= MOST_BYTES)) || fail "the wheel has more than $MOST_BYTES bytes"
done
