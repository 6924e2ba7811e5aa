#!/usr/bin/env bash
# Checks the C library: the header is current, the examples in C (linked shared and static) and through ctypes run, bad inputs are refused, random limits
# and stops leak nothing, a fork is noticed, only functions of Emilia are exported, and valgrind, where it is installed, has no complaint.
#
#   bindings/c/check.sh [PROFILE]
#
# Needs cc, pkg-config, python3.
set -euo pipefail
cd "$(dirname "$0")"
readonly profile=${1:-dev} calls=${EMILIA_TEST_CALLS:-100}

fail() {
    printf 'check.sh: %s\n' "$1" >&2
    exit 1
}

unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
cargo test --locked --quiet --test header > /dev/null || fail "the header is not current"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
./install.sh "$stage" "$profile"
export PKG_CONFIG_PATH=$stage/lib/pkgconfig LD_LIBRARY_PATH=$stage/lib

read -ra flags < <(pkg-config --cflags --libs emilia)
read -ra include < <(pkg-config --cflags emilia)
read -ra private < <(sed -n 's/^Libs.private: //p' "$stage/lib/pkgconfig/emilia.pc")
warnings=(-std=c11 -Wall -Wextra -Werror)
cc "${warnings[@]}" -g examples/example.c -o "$stage/shared" "${flags[@]}"
cc "${warnings[@]}" examples/example.c -o "$stage/static" "${include[@]}" "$stage/lib/libemilia.a" "${private[@]}"
readelf -d "$stage/shared" | grep -q 'NEEDED.*libemilia\.so\.0' || fail "the name of the shared library is wrong"
"$stage/shared" > "$stage/out"
"$stage/static" | diff "$stage/out" - || fail "the static library answers something else"
python3 examples/ctypes_example.py "$stage/lib/libemilia.so.0"

for test in fork bad_inputs stress; do
    cc "${warnings[@]}" -g "tests/$test.c" -o "$stage/$test" "${flags[@]}" -pthread
done
timeout 300 "$stage/fork" || fail "a fork is not noticed"
timeout 300 "$stage/bad_inputs" || fail "a bad input is not refused"
# One heap for all threads: with one for each, glibc keeps much of what was freed, and no leak could be seen.
MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 timeout 600 "$stage/stress" "$calls" || fail "random limits and stops"

# The program of docs/EMBED.md: `block LANGUAGE` is what the page has in that language.
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p;}" ../../docs/EMBED.md
}
block c > "$stage/embed.c"
cc "${warnings[@]}" "$stage/embed.c" -o "$stage/embed" "${flags[@]}"
"$stage/embed" | diff <(block text) - || fail "docs/EMBED.md says something else"
# The command of both pages makes a program that starts.
command=$(grep '^cc program.c' README.md)
grep -Fqx "$command" ../../docs/EMBED.md || fail "docs/EMBED.md has another command than README.md"
ln -s . "$stage/.local"
mv "$stage/embed.c" "$stage/program.c"
(cd "$stage" && HOME=$stage bash -c "$command")
env -u LD_LIBRARY_PATH "$stage/program" | diff <(block text) - || fail "the command of README.md makes a program that does not start"

foreign=$(nm -D --defined-only "$stage/lib/libemilia.so.0" | awk '$2 == "T" && $3 !~ /^emilia_/ { print $3 }')
[[ -z $foreign ]] || fail "exported: $foreign"
if command -v valgrind > /dev/null; then
    checked() {
        valgrind --quiet --error-exitcode=9 --leak-check=full "$@" || fail "valgrind complains of $(basename "$1")"
    }
    checked "$stage/shared" > "$stage/checked"
    checked "$stage/bad_inputs"
    diff "$stage/out" "$stage/checked" || fail "under valgrind it answers something else"
    printf 'valgrind has no complaint\n'
fi
cat "$stage/out"
