#!/usr/bin/env bash
# Plays `emilia ggs` against itself over a mock of the Generic Game Server (tests/library/ggs/mock.rs): games of all kinds
# with 100 to 200 ms of delay each way, cuts of connections at random moments, and hostile lines. Prints counts, and fails
# at an illegal move, a loss on time, a move sent twice or out of turn, a match that is not resumed, or memory that grows.
#
#   scripts/check/ggs.sh --short 160 --long 40
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

declare -A options=(
    [--short]=160
    [--long]=40
    [--pairs]=8
    [--kills]=100
    [--lines]=20000
)

usage() {
    cat << 'END'
Usage: scripts/check/ggs.sh [--short N] [--long N] [--pairs N] [--kills N] [--lines N]

  --short N   games of 5 seconds on each clock (160)
  --long N    games of a minute (40)
  --pairs N   pairs of clients that play at once (8)
  --kills N   connections that are cut (100)
  --lines N   hostile lines (20000)
END
}

read_numbers "$@"
need cargo
export GGS_SHORT_GAMES=${options[--short]} GGS_LONG_GAMES=${options[--long]}
export GGS_SHORT_PAIRS=${options[--pairs]} GGS_LONG_PAIRS=${options[--pairs]}
export GGS_KILLS=${options[--kills]} GGS_LINES=${options[--lines]}
cd "$here"
# One after the other, and the lines last: they measure the memory of their process.
for test in many_games_on_short_and_long_clocks many_cuts many_hostile_lines; do
    cargo test --quiet --test library "ggs::slow::$test" -- --ignored --nocapture --exact || fail "$test failed"
done
