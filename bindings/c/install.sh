#!/usr/bin/env bash
# Builds libemilia and installs it: the shared and the static library, the header, and the file of pkg-config.
#
#   bindings/c/install.sh PREFIX [PROFILE]
#
# PREFIX gets lib/, include/ and lib/pkgconfig/; PROFILE is one of cargo's (default: release). Set DESTDIR for packages. The library
# is for x86-64-v3 or any ARM of 64 bits, never for this computer alone (bindings/.cargo/config.toml).
set -euo pipefail

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 1
}

(($# == 1 || $# == 2)) || fail "usage: install.sh PREFIX [PROFILE]"
[[ $1 == /* ]] || fail "PREFIX must begin with /"
readonly prefix=$1 profile=${2:-release} version=0.1.0
cd "$(dirname "$0")"
# Flags from outside would make it a build for another kind of computer.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
target=${CARGO_TARGET_DIR:-target}
[[ $target == /* ]] || target=$PWD/$target
CARGO_TARGET_DIR=$target cargo build --locked --profile "$profile" --quiet --lib
built=$target/$([[ $profile == dev ]] && printf debug || printf '%s' "$profile")
readonly built root=${DESTDIR:-}$prefix

install -d "$root/lib/pkgconfig" "$root/include"
install -m 755 "$built/libemilia_c.so" "$root/lib/libemilia.so.$version"
ln -sf "libemilia.so.$version" "$root/lib/libemilia.so.0"
ln -sf libemilia.so.0 "$root/lib/libemilia.so"
install -m 644 "$built/libemilia_c.a" "$root/lib/libemilia.a"
install -m 644 emilia.h "$root/include/emilia.h"
cat > "$root/lib/pkgconfig/emilia.pc" << PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: emilia
Description: Emilia, an Othello (Reversi) engine
Version: $version
Libs: -L\${libdir} -lemilia
Libs.private: -lm -lpthread -ldl
Cflags: -I\${includedir}
PC
