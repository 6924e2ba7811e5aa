#!/usr/bin/env bash
# Tries the files of scripts/release.sh.
#
#   scripts/check/release.sh [--roots] FILE..
#
# No file names a folder of this computer. Archives: what they hold, how large they are, that each tier of CPU runs and has the
# signature of tests/data/signature.txt, that a wrong tier is an error, and that the page is found. It runs what this computer can
# run: programs for it natively, tier by tier; those for x86-64 also on old CPUs in qemu-x86_64, those for ARM in qemu-aarch64,
# those for Windows in wine, where these are installed. (Debian: qemu-user, libc6-arm64-cross, wine and mingw-w64.)
#
# With --roots, each file that a person on x86-64 Linux installs (archive, wheel, npm package, C library) is installed on a
# Debian of its own with nothing but what it says that it needs, without Rust and without a network, plays a game there, and
# solves ten positions; emilia.html and the site open in Chromium without a network; and the crates build from their files alone.
# Needs root, and Debian's packages debootstrap and chromium. What is not for this computer is named.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
}

# Bytes of an archive at most.
readonly MOST=$((32 << 20))

files=() has_roots=
take() {
    has_roots=1
}
read_files "--roots" "" "$@"
need python3
[[ -z $has_roots ]] || need debootstrap unshare chromium cargo
pinned=$(< "$here/tests/data/signature.txt")
work=$(mktemp -d)
trap 'end_wine "$work/wine"; rm -rf --one-file-system "$work"' EXIT

# `expect TIER COMMAND..`: the command is emilia in this tier.
expect() {
    local tier=$1 version signature
    shift
    version=$("$@" --version | tr -d '\r')
    [[ $version == *" ($tier)" ]] || fail "$* is '$version', not ($tier)"
    signature=$("$@" bench | tail -n 1)
    [[ $signature == "signature $pinned,"* ]] || fail "$*: '$signature', not $pinned"
    printf '%s: %s\n' "$tier" "$*"
}

# `refuse TIER COMMAND..`: the command must not run in this tier.
refuse() {
    local tier=$1
    shift
    ! EMILIA_TIER=$tier "$@" --version 2> "$work/error" || fail "$* runs in tier $tier"
    grep -q '^error: EMILIA_TIER: ' "$work/error" || fail "no clear error: $(< "$work/error")"
}

on_linux() {
    local program=$1 tier
    expect x86-64 env EMILIA_TIER=baseline "$program"
    for tier in v3 v4; do
        if EMILIA_TIER=$tier "$program" --version > "$work/version" 2>&1; then
            expect "x86-64-$tier" env EMILIA_TIER="$tier" "$program"
        else
            cat "$work/version"
        fi
    done
    refuse v5 "$program"
    # The exit code and the output come through.
    [[ $(printf 'isready\n' | "$program") == readyok ]] || fail "the streams are not passed on"
    local status=0
    "$program" solve --no-such-option 2> "$work/error" || status=$?
    ((status == 2)) || fail "exit status $status, not 2"
    [[ $("$program" board --print) -ef ${program%/*}/emilia.html ]] || fail "'board' does not find the page of the archive"
    # Without its libraries it still works.
    cp "$program" "$work/alone"
    [[ $("$work/alone" --version) == *' (x86-64)' ]] || fail "$program does not run alone"
    refuse v3 "$work/alone"
    if command -v qemu-x86_64 > /dev/null; then
        expect x86-64 qemu-x86_64 -cpu Nehalem "$program"
        refuse v3 qemu-x86_64 -cpu Nehalem "$program"
        expect x86-64-v3 qemu-x86_64 -cpu Haswell "$program"
        refuse v4 qemu-x86_64 -cpu Haswell "$program"
    fi
}

on_windows() {
    local program=$1
    expect x86-64 env EMILIA_TIER=baseline wine "$program"
    expect x86-64-v3 env EMILIA_TIER=v3 wine "$program"
    refuse v5 wine "$program"
}

# Tries the archive $1.
archive() {
    local archive=$1 size folders folder file
    size=$(stat -c %s "$archive")
    ((size <= MOST)) || fail "$archive has $size bytes, more than $MOST"
    unpack "$archive"
    folders=("$work"/unpacked/*)
    folder=${folders[0]}
    for file in LICENSE-MIT LICENSE-APACHE LICENSES-CRATES README.md PROTOCOL.md emilia.html docs/HOSTS.md docs/ANALYSIS.md docs/board.png; do
        [[ -s $folder/$file ]] || fail "$archive has no $file"
    done
    printf '%s: %s bytes\n' "$archive" "$size"
    chmod +x "$folder"/emilia*
    case $archive in
        *x86_64-unknown-linux*) on_linux "$folder/emilia" ;;
        *aarch64-unknown-linux*)
            if command -v qemu-aarch64 > /dev/null; then
                expect aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/emilia"
            fi
            ;;
        *windows*)
            if command -v wine > /dev/null; then
                [[ -d $work/wine ]] || prepare_wine "$work/wine"
                on_windows "$folder/emilia.exe"
            fi
            ;;
    esac
}

unpack() {
    rm -rf "$work/unpacked"
    python3 -c 'import shutil, sys; shutil.unpack_archive(*sys.argv[1:])' "$1" "$work/unpacked" ${2:+"$2"}
    ! grep -rlaF -e "$here/" -e "$HOME/" "$work/unpacked" || fail "$1 names folders of this computer"
}

# `make_root PACKAGE..`: a Debian with these packages and no others beside its smallest set, in $work/root, with the file
# $file and ten positions with their scores in /tmp.
make_root() {
    local packages
    packages=$(IFS=,; printf '%s' "$*")
    rm -rf "$work/root"
    mkdir -p "$work/packages"
    debootstrap --variant=minbase --cache-dir="$work/packages" ${packages:+"--include=$packages"} bookworm "$work/root" \
        > "$work/debootstrap" 2>&1 || fail "there is no clean root: $(tail -n 1 "$work/debootstrap")"
    cp "$file" "$work/root/tmp/"
    grep -v '^%' "$here/tests/data/endgames-12.obf" | head -n 10 > "$work/ten"
    # Cells and side; the score of the first move is the best.
    cut -d ';' -f 1 "$work/ten" > "$work/root/tmp/positions"
    sed 's/^[^;]*; *[^:]*:+\?\(-\?[0-9]*\);.*/\1/' "$work/ten" > "$work/scores"
}

# `in_root COMMAND`: its output, by the shell of the root, without a network.
in_root() {
    # shellcheck disable=SC2016  # the inner shell expands it
    unshare --net --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' sh "$work/root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 /bin/sh -ec "cd /tmp; $1"
}

# What a root printed: ten scores, then how many moves a game had.
expect_all() {
    local what=$1 lines
    mapfile -t lines < "$work/printed"
    printf '%s\n' "${lines[@]:0:10}" | diff - "$work/scores" > "$work/differences" || fail "$what: $(< "$work/differences")"
    ((${lines[10]:-0} >= 50)) || fail "$what: a game of ${lines[10]:-no} moves"
    printf 'clean root: %s: ten positions, a game of %s moves\n' "$what" "${lines[10]}"
}

archive_root() {
    make_root xz-utils
    # shellcheck disable=SC2016  # the root's shell expands it
    in_root '
        tar -xf emilia-*.tar.xz
        cd emilia-*/
        ./emilia solve /tmp/positions | cut -f 3 | tr -d +
        { yes go | head -n 61; echo quit; } | ./emilia play --depth 1 | grep -c "^Emilia plays"
        test -s "$(./emilia board --print)"
    ' > "$work/printed"
    expect_all "$1"
}

wheel_root() {
    make_root python3 python3-pip
    cat > "$work/root/tmp/try.py" << 'END'
import emilia_othello as emilia

with emilia.Engine(threads=1, hash_mb=16) as engine:
    for line in open("positions"):
        print(engine.solve(emilia.Position(line.strip())).lower)
    position, moves = emilia.Position(), 0
    while position.legal_moves():
        position, moves = position.play(engine.search(position, depth=1).move), moves + 1
    print(moves)
END
    in_root 'pip install --quiet --no-index --break-system-packages ./*.whl >&2; python3 try.py' > "$work/printed"
    expect_all "$1"
}

npm_root() {
    # Node 20, which Debian 12 does not have, comes from here.
    need node npm
    make_root libstdc++6
    local modules
    modules=$(npm root --global)
    mkdir -p "$work/root/usr/local/lib/node_modules" "$work/root/usr/local/bin"
    cp "$(readlink -f "$(command -v node)")" "$work/root/usr/local/bin/node"
    cp -r "$modules/npm" "$work/root/usr/local/lib/node_modules/"
    ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
    cat > "$work/root/tmp/try.mjs" << 'END'
import { readFileSync } from "node:fs";
import { Emilia } from "emilia-engine";

const engine = new Emilia();
for (const line of readFileSync("positions", "utf8").trim().split("\n")) {
  const { lines } = await engine.search(`board ${line}`, { go: "exact" });
  console.log(lines[0].score);
}
const moves = [];
for (;;) {
  const { best } = await engine.search(`startpos moves ${moves.join(" ")}`, { go: "depth 1" });
  if (best === "none") break;
  moves.push(best);
}
console.log(moves.length);
engine.close();
END
    in_root 'npm install --silent --offline --no-audit --no-fund ./*.tgz >&2; node try.mjs' > "$work/printed"
    expect_all "$1"
}

c_root() {
    make_root gcc libc6-dev pkg-config xz-utils
    cat > "$work/root/tmp/try.c" << 'END'
#include <emilia.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    EmiliaEngine *engine;
    EmiliaError error;
    EmiliaPosition position;
    EmiliaResult result;
    EmiliaLimits limits = emilia_limits_none();
    char line[100];
    int moves = 0;
    if (emilia_engine_new(NULL, &engine, &error)) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (emilia_position_parse(line, &position, &error) || emilia_solve(engine, &position, "exact", NULL, &result, &error)) {
            return fprintf(stderr, "%s\n", error.text), 1;
        }
        printf("%d\n", result.lower);
    }
    limits.depth = 1;
    for (position = emilia_position_start(); emilia_legal_moves(&position); moves++) {
        if (emilia_search(engine, &position, &limits, &result, 1, NULL, &error) || emilia_play(&position, result.best, &error)) {
            return fprintf(stderr, "%s\n", error.text), 1;
        }
    }
    printf("%d\n", moves);
    emilia_engine_free(engine);
    return 0;
}
END
    # shellcheck disable=SC2016  # the root's shell expands it
    in_root '
        tar -xf libemilia-*.tar.xz
        cp -r libemilia-*/usr/local/. /usr/local/
        export PKG_CONFIG_PATH=/usr/local/lib/pkgconfig
        cc try.c $(pkg-config --cflags --libs emilia) -Wl,-rpath,/usr/local/lib -o try
        ./try < positions
    ' > "$work/printed"
    expect_all "$1"
}

# The page at the address $2, with the folder $1 served on port 8000, without a network: a move is answered.
open_page() {
    [[ -d $here/web/node_modules ]] || fail "web/node_modules is missing: npm ci in web"
    cat > "$work/open.mjs" << END
import { cell, launch, moveNames, openPage } from "$here/web/tests/support.mjs";

const browser = await launch();
for (const url of process.argv.slice(2)) {
  const page = await openPage(browser, url);
  await cell(page, "f5").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 2);
  console.log(url.replace(/.*\\//, ""), ...(await moveNames(page)), ...page.faults);
}
await browser.close();
END
    cat > "$work/open.sh" << 'END'
ip link set lo up
cd "$1"
python3 -m http.server 8000 --bind 127.0.0.1 2> /dev/null &
trap 'kill $!' EXIT
shift
node "$@"
END
    unshare --net bash "$work/open.sh" "$1" "$work/open.mjs" "$2" || fail "the page does not open"
}

# The crates build from what they hold, with each other in place of a registry.
try_crates() {
    local crate name patches=()
    rm -rf "$work/crates"
    mkdir "$work/crates"
    for crate in "$@"; do
        tar -xf "$crate" -C "$work/crates"
    done
    for crate in "$work"/crates/*; do
        name=$(basename "${crate%-*}")
        [[ $name == emilia ]] || patches+=(--config "patch.crates-io.$name.path='$crate'")
    done
    for crate in "$work"/crates/emilia-[0-9]*; do
        (cd "$crate" && cargo check --quiet --target-dir "$here/target/release-crates/tried" "${patches[@]}") || fail "the crates do not build"
    done
    printf 'crates: build from their files: %s\n' "${crates[*]##*/}"
}

crates=()
for file in "${files[@]}"; do
    name=$(basename "$file")
    case $name in
        emilia-[0-9]*.tar.xz | emilia-[0-9]*.zip)
            archive "$file"
            [[ -z $has_roots || $name != *"-$(uname -m)-unknown-linux"* ]] || archive_root "$name"
            ;;
        *.crate) crates+=("$file") ;;
        *.whl)
            unpack "$file" zip
            [[ -z $has_roots || $name != *linux*"$(uname -m).whl" ]] || wheel_root "$name"
            ;;
        emilia-engine-*.tgz)
            unpack "$file"
            [[ -z $has_roots ]] || npm_root "$name"
            ;;
        libemilia-*)
            unpack "$file"
            [[ -z $has_roots || $name != *"-$(uname -m)-unknown-linux"* ]] || c_root "$name"
            ;;
        emilia.html) [[ -z $has_roots ]] || open_page "$work" "file://$(realpath "$file")" ;;
        emilia-site-*.tar.xz)
            unpack "$file"
            [[ -z $has_roots ]] || open_page "$work/unpacked/${name%.tar.xz}" http://127.0.0.1:8000/
            ;;
        *) printf 'not tried: %s\n' "$name" ;;
    esac
done
[[ -z $has_roots ]] || ((${#crates[@]} == 0)) || try_crates "${crates[@]}"
