#!/usr/bin/env bash
# Builds the archives that people download, for computers without Rust: the program, its licences
# and the pages that its users read. The same commit gives the same bytes; the C library and the wheels, whose crates stand outside
# of the workspace of what they link, in a folder of the same name.
#
#   scripts/release.sh [--out DIR] [TARGET.. | all]
#
# `all` makes, from a commit without changes, whatever a release has: the archives, the wheels, the npm package, the crates, the C library
# with its file of pkg-config, the site, what is inside (SBOM) and NOTES.md, the part of CHANGELOG.md that is about this version.
#
# A TARGET is x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu, x86_64-pc-windows-gnu or, on a
# Mac, aarch64-apple-darwin or x86_64-apple-darwin; without one, all that this system can build.
# DIR (default: target/release-archives) gets an archive for each, and SHA256SUMS.
#
# Each has emilia.html, the page in one file, as well: it is built first.
#
# For x86-64 an archive has `emilia` for any CPU and two libraries that it loads on faster ones
# (src/launcher.rs). Needs rustup's targets (wasm32-unknown-unknown too), Node 20, python3 and a linker for each target: Debian's
# packages gcc-aarch64-linux-gnu and mingw-w64, or Apple's command line tools. `all` needs what scripts/wheels.sh needs, and
# cargo-cyclonedx.
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
targets=("${operands[@]}") has_all=
if [[ ${targets[*]} == all ]]; then
    targets=() has_all=1
fi
if ((${#targets[@]} == 0)); then
    case $(uname -s) in
        Darwin) targets=(aarch64-apple-darwin x86_64-apple-darwin) ;;
        *) targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu) ;;
    esac
fi
need cargo git python3 npm
cd "$here"
version=$(cargo metadata --no-deps --format-version 1 --locked \
    | python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "emilia"))')
if [[ -n $has_all ]]; then
    need maturin cargo-cyclonedx sha256sum
    [[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed"
    grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md says nothing of version $version"
fi

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_PROFILE_DIST_STRIP=symbols
unset CARGO_ENCODED_RUSTFLAGS

# `compile TARGET CPU FLAGS ARGUMENT..`: one build, without the paths of this computer; the flags are for all crates.
compile() {
    local target=$1 cpu=$2 flags
    flags="-C target-cpu=$cpu $(remaps) $3"
    shift 3
    # Windows has the time of the build in its programs, unless the linker leaves it out.
    [[ $target != *windows* ]] || flags+=" -C link-arg=-Wl,--no-insert-timestamp"
    printf '%s, %s\n' "$target" "$cpu" >&2
    RUSTFLAGS=$flags cargo rustc --profile dist --locked --quiet --target "$target" \
        --target-dir "target/release-$cpu" "$@" || fail "the build failed"
}

(cd web && npm ci --silent --no-audit --no-fund && npm run --silent build >&2) || fail "the page was not built"
[[ -s web/dist/emilia.html ]] || fail "the build of the page left no web/dist/emilia.html"

mkdir -p "$out"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

archives() {
    local target prefix library program cpu folder tier
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
        compile "$target" "$cpu" "" --package emilia --bin emilia
        cp "target/release-$cpu/$target/dist/$program" "$folder/"
        if [[ $target == x86_64* ]]; then
            for tier in v3 v4; do
                compile "$target" "x86-64-$tier" "--cfg tier_library" --package emilia --lib --crate-type cdylib
                cp "target/release-x86-64-$tier/$target/dist/${prefix}emilia.$library" "$folder/emilia-$tier.$library"
            done
        fi
        cp LICENSE-APACHE LICENSE-MIT README.md PROTOCOL.md ARCHITECTURE.md CHANGELOG.md "$folder/"
        cp web/dist/emilia.html "$folder/"
        cp docs/*.md docs/*.png "$folder/docs/"
        python3 scripts/pack_release.py "$target" "$folder" "$out"
    done
}

# The parts of a release beside the archives; each leaves its files in $out.
wheels() {
    case $(uname -s) in
        Darwin) scripts/wheels.sh --out "$out" aarch64-apple-darwin ;;
        *) scripts/wheels.sh --out "$out" x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu ;;
    esac
}

crates() {
    cargo package --locked --no-verify --quiet --target-dir target/release-crates \
        --package emilia-verify --package emilia-core --package emilia
    cp target/release-crates/package/*"-$version.crate" "$out/"
}

c_library() {
    local folder=$stage/c host flags
    host=$(rustc -vV | sed -n 's/^host: //p')
    flags=$(remaps)
    # Joined to the flags of bindings/.cargo/config.toml.
    export "CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<< "$host")_RUSTFLAGS=$flags"
    CARGO_TARGET_DIR=$here/target/release-c DESTDIR=$folder bindings/c/install.sh /usr/local
    cp LICENSE-APACHE LICENSE-MIT bindings/c/README.md "$folder/"
    python3 scripts/pack_release.py --name "libemilia-$version-$host" --manifest bindings/c/Cargo.toml "$host" "$folder" "$out"
}

site() {
    cp -r web/dist "$stage/site"
    rm -r "$stage/site/engine"
    cp LICENSE-APACHE LICENSE-MIT "$stage/site/"
    python3 scripts/pack_release.py --name "emilia-site-$version" --manifest web/engine/Cargo.toml wasm32-unknown-unknown "$stage/site" "$out"
    cp web/dist/emilia.html "$out/"
    (cd web/dist/engine && npm pack --silent --pack-destination "$out" > /dev/null)
}

contents() {
    cargo cyclonedx --quiet --format json --manifest-path Cargo.toml --override-filename sbom
    sed "s#file://$here#file:///emilia#g" sbom.json > "$out/emilia-$version.cdx.json"
    git clean -fdq -- sbom.json '*/sbom.json'
    awk -v head="## $version" 'index($0, head) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md > "$out/NOTES.md"
}

# `in_turn PART..`: the name tells at which part it ended, if it did.
in_turn() {
    local part
    for part in "$@"; do
        printf '%s\n' "$part" >&2
        "$part"
    done
}

if [[ -z $has_all ]]; then
    archives
    exit 0
fi
# A build ends with minutes of one core: so the archives are built beside the rest, which has a process group of its own.
set -m
in_turn wheels crates c_library site contents &
rest=$!
set +m
trap 'kill -- "-$rest" 2> /dev/null || true; rm -rf "$stage"' EXIT
in_turn archives
wait "$rest" || fail "the parts beside the archives were not made"
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * > "$stage/sums" && mv "$stage/sums" SHA256SUMS)
[[ $(uname -s) == Darwin ]] || printf 'not made here: archives and wheels of macOS, which need a Mac\n'
ls -l "$out"
