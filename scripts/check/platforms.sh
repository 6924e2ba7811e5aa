#!/usr/bin/env bash
# Builds Emilia for other platforms, 64-bit Windows and Linux on 64-bit ARM, and checks each build
# in an emulator: unit tests, dialogues, the signature, and whole games.
#
#   scripts/check/platforms.sh --only arm
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/platforms.sh [--only arm|windows] [--quick]

  --only PLATFORM  this platform alone
  --quick          no tests, only the signature and the games

Needs rustup's targets x86_64-pc-windows-gnu and aarch64-unknown-linux-gnu, and on Debian the
packages mingw-w64 and wine64 for Windows, gcc-aarch64-linux-gnu and qemu-user for ARM.
END
}

platforms=(arm windows)
quick=
# shellcheck disable=SC2317  # read_arguments calls it
take() {
    case $1 in
        --quick) quick=yes ;;
        --only)
            [[ $2 == arm || $2 == windows ]] || usage_error
            platforms=("$2")
            ;;
    esac
}
read_options "--quick" "--only" "$@"
need cargo
cd "$here"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d)
# shellcheck disable=SC2317  # the trap calls it
clean_up() {
    end_wine "$work/wine"
    rm -rf "$work"
}
trap clean_up EXIT

# Flags for this computer's CPU are none for another one.
export RUSTFLAGS='' CARGO_TARGET_DIR=$target

use_arm() {
    need aarch64-linux-gnu-gcc qemu-aarch64
    triple=aarch64-unknown-linux-gnu
    emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=${emulator[*]}
    # An emulated process cannot start another one of its kind by itself.
    export EMILIA_RUNNER=${emulator[*]}
    program=$target/$triple/release/emilia
    opponent="${emulator[*]} $program ugi"
}

use_windows() {
    need wineserver
    triple=x86_64-pc-windows-gnu
    emulator=(wine)
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine
    unset EMILIA_RUNNER
    mkdir "$work/wine"
    prepare_wine "$work/wine"
    program=$target/$triple/release/emilia.exe
    # Windows looks for a program beside the one that starts it.
    opponent="emilia.exe ugi"
}

# What the emulated program prints, with the line ends of Unix.
emilia() {
    timeout 900 "${emulator[@]}" "$program" "$@" < /dev/null | tr -d '\r'
}

for platform in "${platforms[@]}"; do
    "use_$platform"
    if [[ -z $quick ]]; then
        printf '== %s: tests\n' "$platform"
        # The fits of emilia-lab compute for minutes in an emulator, with nothing of their own for a platform.
        run_tests=(cargo test --locked --quiet --target "$triple" --workspace --exclude emilia-lab)
        "${run_tests[@]}" --lib || fail "$platform: tests fail"
        "${run_tests[@]}" --test program --test library \
            -- protocol:: rules:: --skip symmetric_boards_have || fail "$platform: tests fail"
    fi

    printf '== %s: signature\n' "$platform"
    cargo build --locked --release --quiet --package emilia --target "$triple" || fail "$platform: the build fails"
    emilia bench > "$work/bench"
    last=$(tail -n 1 "$work/bench")
    printf '%s\n' "$last"
    [[ $last == "signature $(<tests/data/signature.txt), "* ]] \
        || fail "$platform: another signature than in tests/data/signature.txt"

    printf '== %s: a game with each colour\n' "$platform"
    printf 'f5d6c3d3c4f4\n' > "$work/openings"
    emilia match --openings "$work/openings" --opponent "$opponent" --each depth=6 > "$work/games"
    grep $'\t' "$work/games"
    (($(grep -c $'\tover\t' "$work/games") == 2)) || fail "$platform: not every game was played to its end"
done
printf 'all is well: %s\n' "${platforms[*]}"
