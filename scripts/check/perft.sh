#!/usr/bin/env bash
# Counts the lines of play from the start position to depth 13, a pass counted as a ply,
# and compares with the published table.
#
#   scripts/check/perft.sh --engine target/release/emilia
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/perft.sh [--engine FILE] [--depth N]

  --engine FILE  Emilia's binary (built here if left out)
  --depth N      greatest depth, up to 13 (13: some minutes)

Exit status 0 if all counts are the published ones.
END
}

deepest=13
take() {
    case $1 in
        --engine) EMILIA=$(realpath "$2") ;;
        --depth) deepest=$2 ;;
    esac
}
read_options "" "--engine --depth" "$@"

# One for each depth from 0 on.
expected=(1 4 12 56 244 1396 8200 55092 390216 3005288 24571284 212258800 1939886636 18429641748)
[[ $deepest =~ ^([0-9]|1[0-3])$ ]] || usage_error
engine=$(find_emilia)

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
