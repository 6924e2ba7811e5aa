#!/usr/bin/env bash
# Judges a search on several threads by its moves: it plays one thread, both with the same nodes for a move. Speed is no part of it:
# what threads search in vain costs a little strength, and a fault in what they share would cost much.
#
#   scripts/check/threads.sh --threads 8 --nodes 100000 --games 400
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/threads.sh [--threads N] [--nodes N] [--games N] [--elo N]

  --threads N  threads of the first player (4)
  --nodes N    nodes of each move (30000)
  --games N    games at most (400)
  --elo N      so many Elo weaker is a fault (60)

The match ends when a sequential test decides between that and equal strength.
Exit status 0 unless it decides for the fault.
END
}

declare -A options=([--threads]=4 [--nodes]=30000 [--games]=400 [--elo]=60)
read_numbers "$@"
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$emilia" match --openings "$here/tests/data/openings-8ply.txt" --shuffle 1 --games "${options[--games]}" \
    --each "nodes=${options[--nodes]}" --sprt "elo0=-${options[--elo]}" elo1=0 \
    --engine "threads|internal||threads=${options[--threads]}" --engine 'one|internal||threads=1' > "$work/out"
grep -v "$(printf '\t')" "$work/out"
! grep -q 'H0 accepted' "$work/out" || fail "${options[--threads]} threads play worse than one with the same nodes"
