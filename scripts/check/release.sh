#!/usr/bin/env bash
# Tries archives of scripts/release.sh: what they hold, how large they are, that each tier of CPU
# runs and has the signature of tests/data/signature.txt, that a wrong tier is an error, and that the page is found.
#
#   scripts/check/release.sh ARCHIVE..
#
# Runs what this computer can run: programs for it natively, tier by tier; those for x86-64 also
# on old CPUs in qemu-x86_64, those for ARM in qemu-aarch64, those for Windows in wine, where these
# are installed. (Debian: qemu-user, libc6-arm64-cross, wine and mingw-w64.)
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
}

# Bytes of an archive at most.
readonly MOST=$((26 << 20))

files=()
read_files "" "" "$@"
need python3 strings
pinned=$(< "$here/tests/data/signature.txt")
work=$(mktemp -d)
trap 'end_wine "$work/wine"; rm -rf "$work"' EXIT

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

for archive in "${files[@]}"; do
    size=$(stat -c %s "$archive")
    ((size <= MOST)) || fail "$archive has $size bytes, more than $MOST"
    rm -rf "$work/unpacked"
    python3 -c 'import shutil, sys; shutil.unpack_archive(sys.argv[1], sys.argv[2])' "$archive" "$work/unpacked"
    folders=("$work"/unpacked/*)
    folder=${folders[0]}
    for file in LICENSE-MIT LICENSE-APACHE LICENSES-CRATES README.md PROTOCOL.md emilia.html docs/HOSTS.md docs/ANALYSIS.md docs/board.png; do
        [[ -s $folder/$file ]] || fail "$archive has no $file"
    done
    ! strings -a "$folder"/emilia* | grep -F -e "$here" -e "$HOME/" || fail "$archive names folders of this computer"
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
done
