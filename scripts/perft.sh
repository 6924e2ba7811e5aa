#!/usr/bin/env bash
# Counts the lines from the start position to depth 13, a pass counted as a ply,
# and compares with the published table.
# Example: scripts/perft.sh            (builds and runs the release binary)
#          scripts/perft.sh ./emilia   (runs that binary)
set -euo pipefail

if [[ $# -gt 0 ]]; then
    emilia=$1
else
    root=$(cd "$(dirname "$0")/.." && pwd)
    cargo build --release --manifest-path "$root/Cargo.toml"
    emilia=${CARGO_TARGET_DIR:-$root/target}/release/emilia
fi

expected=(
    [9]=3005288
    [10]=24571284
    [11]=212258800
    [12]=1939886636
    [13]=18429641748
)

status=0
for depth in "${!expected[@]}"; do
    printed=$("$emilia" perft "$depth")
    if grep -qw "${expected[$depth]}" <<<"$printed"; then
        echo "perft $depth = ${expected[$depth]}: ok"
    else
        echo "perft $depth: expected ${expected[$depth]}, got: $printed" >&2
        status=1
    fi
done
exit "$status"
