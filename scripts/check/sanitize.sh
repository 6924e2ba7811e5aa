#!/usr/bin/env bash
# Looks for data races and for wrong uses of memory: the thread sanitizer over a short run of each command that works on many
# threads, and Miri over the portable twins of vector code, sealed files, scores and rules. Both need a nightly Rust; what is missing
# is skipped with a line that says so.
#
#   rustup toolchain install nightly --component rust-src,miri && scripts/check/sanitize.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/sanitize.sh

Exit status 0 if nothing is found, also where something is skipped.
END
}

read_options "" "" "$@"
cd "$here"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# `has COMPONENT`: is it part of the nightly Rust?
has() {
    rustup component list --toolchain nightly --installed 2> /dev/null | grep -q "^$1"
}

threads() {
    local target
    target=$(rustc -vV | sed -n 's/^host: //p')
    # The standard library is built with the sanitizer as well: else its locks are unknown to it.
    RUSTFLAGS='-Z sanitizer=thread' cargo +nightly build --quiet --locked --release -Z build-std \
        --target "$target" --target-dir target/sanitize -p emilia || fail "the build for the thread sanitizer failed"
    local emilia=$PWD/target/sanitize/$target/release/emilia openings=$PWD/tests/data/openings-8ply.txt
    export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
    # `smoke WORDS..`: a command with the inputs on standard input.
    smoke() {
        "$emilia" "$@" > "$work/out" 2> "$work/err" < "$work/in" || fail "emilia $*: $(cat "$work/err")"
        echo "thread sanitizer: emilia $1 $2: nothing found"
    }
    sed -n '/^%/!p' tests/data/endgames-12.obf > "$work/easy"
    head -n 3 tests/data/endgames-17.obf > "$work/hard"
    cp "$work/easy" "$work/in"
    smoke solve --threads 4
    smoke solve --threads 4 --unordered --wld --cache "$work/cache"
    cp "$work/hard" "$work/in"
    smoke solve --threads 4 --all-moves
    printf 'setoption name Threads value 4\ngo depth 14\nsetoption name Threads value 2\ngo movetime 300\ngo infinite\nstop\n' > "$work/in"
    smoke ugi
    printf 'f5d6c3d3c4f4c5b3c2e6c6b4b5d2\n' > "$work/in"
    smoke analyze --threads 4 --depth 8
    : > "$work/in"
    smoke openings --count 20 --plies 6 --depth 6 --threads 4
    smoke book grow "$work/a.book" --depth 4 --threads 4 --hash 1 --positions 200
    smoke match --openings "$openings" --games 4 --concurrency 2 \
        --engine 'a|internal||depth=4 threads=2' --engine 'b|internal||depth=4 threads=2'
    smoke proof make --threads 4 --output "$work/a.proof" \
        'XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O'
}

memory() {
    # Vector code is for the processor; Miri knows the portable twin of each function.
    MIRIFLAGS='-Zmiri-disable-isolation' RUSTFLAGS='-C target-cpu=x86-64' PROPTEST_CASES=4 \
        cargo +nightly miri test --quiet --locked -p emilia-core --lib --target-dir target/miri -- \
        simd:: container:: score:: rules::square rules::bitboard rules::board || fail "Miri has found something"
    echo "Miri: simd, container, score, rules: nothing found"
}

if has rust-src; then threads; else echo "thread sanitizer: SKIPPED, the nightly Rust has no rust-src"; fi
if has miri; then memory; else echo "Miri: SKIPPED, the nightly Rust has no miri"; fi
