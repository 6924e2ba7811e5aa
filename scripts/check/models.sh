#!/usr/bin/env bash
# Checks the queue of solves, split points and the first use of lazy values in thousands of orders of their threads.
#
#   scripts/check/models.sh --orders 100000
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/models.sh [--orders N]

  --orders N  orders of the threads that are tried of each model (3000)

crates/models has the models. Exit status 0 if no order has a fault; else a seed is shown that repeats it.
END
}

declare -A options=([--orders]=3000)
read_numbers "$@"
need cargo
cd "$here"
export SHUTTLE_SILENCE_WARNINGS=1
cargo run --quiet --locked --manifest-path crates/models/Cargo.toml --target-dir target/models -- "${options[--orders]}" \
    || fail "an order of the threads has a fault"
