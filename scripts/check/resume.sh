#!/usr/bin/env bash
# Kills a run of `emilia solve` at random moments, resumes it each time, and compares what comes out
# with an undisturbed run, byte for byte.
#
#   scripts/check/resume.sh --kills 20
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/resume.sh [--kills N] [--count N] [--empties N] [--seed N]

  --kills N    kills (20)
  --count N    positions (4000)
  --empties N  empty squares of each (14)
  --seed N     which positions (1)

Exit status 0 if the resumed run ends with the answers of the undisturbed one.
END
}

declare -A options=([--kills]=20 [--count]=4000 [--empties]=14 [--seed]=1)
read_numbers "$@"
need cmp sleep
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$emilia" positions --seed "${options[--seed]}" --count "${options[--count]}" --depth 1 \
    --min-empties "${options[--empties]}" --max-empties "${options[--empties]}" > "$work/positions"
"$emilia" solve --deterministic --hash 8 "$work/positions" > "$work/whole"
lines=$(wc -l < "$work/whole")

# Kills and resumes a run, `interrupt OUTPUT ARGUMENT..`: each time some answers farther, and up to 20 ms later.
interrupt() {
    local output=$1 pid kill target
    shift
    local command=("$emilia" solve --hash 8 "$@" --output "$output" --resume "$work/positions")
    touch "$output"
    for ((kill = 1; kill <= options[--kills]; kill++)); do
        "${command[@]}" &
        pid=$!
        target=$((lines * kill / (options[--kills] + 1)))
        while (($(wc -l < "$output") < target)) && kill -0 "$pid" 2> /dev/null; do
            sleep 0.005
        done
        sleep "0.0$((RANDOM % 20 + 10))"
        kill -9 "$pid" 2> /dev/null || true
        wait "$pid" 2> /dev/null || true
        printf 'kill %d after %d answers\n' "$kill" "$(wc -l < "$output")"
    done
    "${command[@]}"
}

RANDOM=${options[--seed]}
interrupt "$work/ordered" --deterministic
cmp "$work/whole" "$work/ordered" || fail "the resumed run has other bytes"
printf 'killed %d times and resumed: the same %d answers\n' "${options[--kills]}" "$(wc -l < "$work/whole")"
