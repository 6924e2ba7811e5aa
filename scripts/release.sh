#!/usr/bin/env bash
# Builds the archives that people download, for computers without Rust: the program, its licences
# and the pages that its users read. The same commit gives the same bytes.
#
#   scripts/release.sh [--out DIR] [TARGET..]
#
# A TARGET is x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu, x86_64-pc-windows-gnu or, on a
# Mac, aarch64-apple-darwin or x86_64-apple-darwin; without one, all that this system can build.
# DIR (default: target/release-archives) gets an archive for each, and SHA256SUMS.
#
# Each has emilia.html, the page in one file, as well: it is built first.
#
# For x86-64 an archive has `emilia` for any CPU and two libraries that it loads on faster ones
# (src/launcher.rs). Needs rustup's targets (wasm32-unknown-unknown too), Node 20, python3 and a linker for each target: Debian's
# packages gcc-aarch64-linux-gnu and mingw-w64, or Apple's command line tools.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
}

out=$here/target/release-archives
take() {
    out=$(realpath -m "$2")
}
read_arguments "" "--out" "$@"
targets=("${operands[@]}")
if ((${#targets[@]} == 0)); then
    case $(uname -s) in
        Darwin) targets=(aarch64-apple-darwin x86_64-apple-darwin) ;;
        *) targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu) ;;
    esac
fi
need cargo git python3 npm
cd "$here"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_PROFILE_RELEASE_STRIP=symbols
unset CARGO_ENCODED_RUSTFLAGS

# `compile TARGET CPU ARGUMENT..`: one build, without the paths of this computer.
compile() {
    local target=$1 cpu=$2 cargo_home=${CARGO_HOME:-$HOME/.cargo}
    shift 2
    local flags="-C target-cpu=$cpu --remap-path-prefix=$here=emilia --remap-path-prefix=$cargo_home=cargo"
    # Windows has the time of the build in its programs, unless the linker leaves it out.
    [[ $target != *windows* ]] || flags+=" -C link-arg=-Wl,--no-insert-timestamp"
    printf '%s, %s\n' "$target" "$cpu" >&2
    RUSTFLAGS=$flags cargo rustc --package emilia --release --locked --quiet --target "$target" \
        --target-dir "target/release-$cpu" "$@" || fail "the build failed"
}

(cd web && npm ci --silent --no-audit --no-fund && npm run --silent build >&2) || fail "the page was not built"
[[ -s web/dist/emilia.html ]] || fail "the build of the page left no web/dist/emilia.html"

mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for target in "${targets[@]}"; do
    prefix="" library=so program=emilia
    case $target in
        *windows*) library=dll program=emilia.exe ;;
        *apple*) prefix=lib library=dylib ;;
        *) prefix=lib ;;
    esac
    case $target in
        x86_64*) cpu=x86-64 ;;
        aarch64-apple*) cpu=apple-m1 ;;
        *) cpu=generic ;;
    esac
    folder=$stage/$target
    mkdir -p "$folder/docs"
    compile "$target" "$cpu" --bin emilia
    cp "target/release-$cpu/$target/release/$program" "$folder/"
    if [[ $target == x86_64* ]]; then
        for tier in v3 v4; do
            compile "$target" "x86-64-$tier" --lib --crate-type cdylib -- --cfg tier_library
            cp "target/release-x86-64-$tier/$target/release/${prefix}emilia.$library" "$folder/emilia-$tier.$library"
        done
    fi
    cp LICENSE-APACHE LICENSE-MIT README.md PROTOCOL.md ARCHITECTURE.md CHANGELOG.md "$folder/"
    cp web/dist/emilia.html "$folder/"
    cp docs/*.md docs/*.png "$folder/docs/"
    python3 scripts/pack_release.py "$target" "$folder" "$out"
done
