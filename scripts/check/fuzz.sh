#!/usr/bin/env bash
# Fuzzes the readers of foreign bytes, guided by coverage, one target after the other.
#
#   scripts/check/fuzz.sh --seconds 600 ggf nboard
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/fuzz.sh [--seconds N] [--sanitizer NAME] [TARGET..]

  --seconds N       seconds for each target (60)
  --sanitizer NAME  none (as is) or address, which is slower and finds faults of memory
  TARGET            which ones (all of fuzz/fuzz_targets if left out)

Needs cargo-fuzz and a C++ compiler; a stable Rust will do. Inputs are kept in fuzz/corpus, and
each one that fails in fuzz/artifacts: `cargo fuzz run --sanitizer NAME TARGET FILE` runs it again.

Exit status 0 if nothing fails.
END
}

seconds=60
sanitizer=none
take() {
    printf -v "${1#--}" '%s' "$2"
}
read_arguments "" "--seconds --sanitizer" "$@"
targets=("${operands[@]}")
[[ $seconds =~ ^[1-9][0-9]*$ ]] || usage_error
[[ $sanitizer == none || $sanitizer == address ]] || usage_error
need cargo c++
cargo fuzz --version > /dev/null 2>&1 \
    || fail "cargo-fuzz is missing: install it with 'cargo install cargo-fuzz'"

cd "$here"
mapfile -t known < <(basename -s .rs fuzz/fuzz_targets/*.rs)
((${#targets[@]})) || targets=("${known[@]}")
for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] \
        || fail "there is no target $target; there are ${known[*]}"
done

# Stable Rust has the flags of a sanitizer only on request.
if [[ $sanitizer != none ]]; then
    export RUSTC_BOOTSTRAP=1
fi
cargo fuzz build --sanitizer "$sanitizer" || fail "the build failed"
(cd fuzz && cargo run --locked --quiet --example seeds -- corpus ../tests) \
    || fail "the first inputs could not be written"

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "${targets[@]}"; do
    # A reader that takes more than 10 s or 2 GB for one input has a fault, too.
    if cargo fuzz run --sanitizer "$sanitizer" "$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 > "$log" 2>&1; then
        executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "$target: $executions executions, nothing failed"
    else
        echo "$target: failed"
        tail -n 40 "$log"
        failed=1
    fi
done
exit "$failed"
