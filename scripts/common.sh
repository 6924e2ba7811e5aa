#!/usr/bin/env bash
# Functions of the scripts in this folder. Sourced, not run:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The root of this repository.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# After wrong usage: each script has a function `usage`.
usage_error() {
    usage >&2
    exit 2
}

# After an option that the script does not have, or that lacks its value: `refuse_option OPTION VALUES`, where
# VALUES are the options that have a value.
refuse_option() {
    local name
    name=$(basename "$0")
    if [[ " $2 " == *" $1 "* ]]; then
        printf '%s: option %s needs a value; see --help\n' "$name" "$1" >&2
    else
        printf '%s: unknown option %s; see --help\n' "$name" "$1" >&2
    fi
    exit 2
}

# Ends the script unless all these programs are there.
need() {
    local program
    for program; do
        command -v "$program" > /dev/null || fail "$program is missing: install it first"
    done
}

# Ends the script unless all these files can be read.
need_files() {
    local file
    for file; do
        [[ -f $file && -r $file ]] || fail "cannot read $file"
    done
}

# Reads the arguments of a script, `read_arguments FLAGS VALUES "$@"`: the options in the list
# FLAGS stand alone, those in VALUES have a value. The script has a function
# `take OPTION [VALUE]`. All other arguments go to the array `operands`.
read_arguments() {
    local flags=" $1 " values=" $2 "
    shift 2
    operands=()
    while (($#)); do
        if [[ $1 == --help || $1 == -h ]]; then
            usage
            exit
        elif [[ $1 != -* ]]; then
            operands+=("$1")
        elif [[ $flags == *" $1 "* ]]; then
            take "$1"
        elif [[ $values == *" $1 "* ]] && (($# >= 2)); then
            take "$1" "$2"
            shift
        else
            refuse_option "$1" "$values"
        fi
        shift
    done
}

# The same for a script without operands.
read_options() {
    read_arguments "$@"
    ((${#operands[@]} == 0)) || usage_error
}

# The same for a script whose options are the keys of its array `options`, and have numbers.
read_numbers() {
    # shellcheck disable=SC2317  # read_arguments calls it
    take() {
        if ! [[ $2 =~ ^[0-9]+$ ]]; then
            printf '%s: expected a number after %s, found %s; see --help\n' "$(basename "$0")" "$1" "$2" >&2
            exit 2
        fi
        options[$1]=$2
    }
    read_options "" "${!options[*]}" "$@"
}

# The same for a script that works on files, at least one: `files`. All of them can be read.
read_files() {
    read_arguments "$@"
    files=("${operands[@]}")
    ((${#files[@]})) || usage_error
    need_files "${files[@]}"
}

# Flags of rustc with which the same sources give the same bytes everywhere: paths of this computer are replaced, also those of
# the standard library, which rustc names if its sources are installed.
remaps() {
    local commit
    commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
    printf -- '--remap-path-prefix=%s=%s ' "$here" emilia "${CARGO_HOME:-$HOME/.cargo}" cargo \
        "$(rustc --print sysroot)/lib/rustlib/src/rust" "/rustc/$commit"
}

# Builds Emilia, `build native` for this CPU and `build portable` for any x86-64. Prints the
# path of the binary.
build() {
    need cargo
    local target flags=${RUSTFLAGS:-}
    target=$(realpath -m "${CARGO_TARGET_DIR:-$here/target}")
    if [[ $1 == portable ]]; then
        target+=/portable flags="-C target-cpu=x86-64"
    fi
    # Cargo reads the flags of .cargo/config.toml only inside the repository.
    (cd "$here" && RUSTFLAGS=$flags cargo build --release --locked --quiet --package emilia --target-dir "$target") \
        || fail "the build failed"
    printf '%s\n' "$target/release/emilia"
}

# Prints the path of the binary to use: EMILIA if it is set, else the release build.
find_emilia() {
    if [[ -n ${EMILIA:-} ]]; then
        command -v "$EMILIA" || fail "EMILIA=$EMILIA cannot be run"
    else
        build native
    fi
}

# Prepares wine to run programs of Rust, with all its files in the folder $1. Debian's wine 8 lacks the
# library from which Rust's hash maps get their random numbers: a stand-in is made there.
prepare_wine() {
    need wine x86_64-w64-mingw32-gcc
    export WINEPREFIX=$1/prefix WINEDEBUG=-all DISPLAY=''
    mkdir -p "$1/libraries"
    cat > "$1/random.c" << 'END'
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *bytes, SIZE_T length) {
    return RtlGenRandom(bytes, (ULONG)length);
}
END
    x86_64-w64-mingw32-gcc -shared -o "$1/libraries/bcryptprimitives.dll" "$1/random.c" -ladvapi32
    WINEPATH=Z:${1//\//\\}\\libraries
    export WINEPATH
    wine wineboot --init > "$1/log" 2>&1 || fail "wine does not start: $(< "$1/log")"
}

# Ends what wine has started for the folder $1, and would still write there.
end_wine() {
    [[ ! -d $1/prefix ]] || WINEPREFIX=$1/prefix wineserver --kill --wait || true
}
