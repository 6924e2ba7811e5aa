#!/usr/bin/env bash
# Counts the lines of play from the start position to depth 13, a pass counted as a ply,
# and compares with the published table.
#
#   scripts/perft.sh --engine target/release/emilia
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/perft.sh [--engine FILE] [--depth N]

  --engine FILE  Emilia's binary (built here if left out)
  --depth N      greatest depth, up to 13 (13: some minutes)

Exit status 0 if all counts are the published ones.
END
}

engine=
deepest=13
while (($#)); do
    case $1 in
        --engine)
            engine=$(realpath -e "${2:?--engine needs a file}")
            shift
            ;;
        --depth)
            deepest=${2:?--depth needs a number}
            shift
            ;;
        --help | -h)
            usage
            exit
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
if [[ -z $engine ]]; then
    cargo build --release --quiet
    engine=${CARGO_TARGET_DIR:-target}/release/emilia
fi

# One for each depth from 0 on.
expected=(1 4 12 56 244 1396 8200 55092 390216 3005288 24571284 212258800 1939886636 18429641748)
if ((deepest >= ${#expected[@]})); then
    usage >&2
    exit 2
fi

failed=0
while read -r _ depth _ nodes _ milliseconds; do
    if [[ $nodes == "${expected[$depth]}" ]]; then
        echo "perft $depth = $nodes, $milliseconds ms"
    else
        echo "perft $depth = $nodes, not ${expected[$depth]}"
        failed=1
    fi
done < <("$engine" perft "$deepest")
exit "$failed"
