#!/usr/bin/env bash
# Checks the packages that Emilia is built from: their licences, versions that are there twice, where they come from, and known
# faults, for the program and for each package with a lock file of its own. check/deny.toml has the rules and their exceptions.
#
#   cargo install cargo-deny --locked && scripts/check/deny.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/deny.sh

Licences, versions and sources are checked without a network. Known faults are in a database of its own (RustSec): where
that cannot be reached they are not checked, and a line says so.

Exit status 0 if nothing is wrong.
END
}

read_options "" "" "$@"
need cargo
cargo deny --version > /dev/null 2>&1 || fail "cargo-deny is missing: install it with 'cargo install cargo-deny --locked'"
cd "$here"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# `deny MANIFEST CHECK..`
deny() {
    local manifest=$1
    shift
    cargo deny --locked --workspace --manifest-path "$manifest" --config "$here/scripts/check/deny.toml" check "$@" \
        > "$log" 2>&1
}

bad=0
for lock in Cargo.lock bindings/*/Cargo.lock web/*/Cargo.lock crates/models/Cargo.lock fuzz/Cargo.lock; do
    manifest=${lock%.lock}.toml
    if deny "$manifest" licenses bans sources; then
        echo "$manifest: licences, versions and sources are in order"
    else
        cat "$log"
        bad=1
    fi
    if deny "$manifest" advisories; then
        echo "$manifest: no known faults"
    elif grep -q 'failed to fetch advisory database\|unable to fetch\|failed to load advisory database' "$log"; then
        echo "$manifest: advisories: SKIPPED, their database cannot be reached"
    else
        cat "$log"
        bad=1
    fi
done
exit "$bad"
