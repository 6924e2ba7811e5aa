#!/usr/bin/env bash
# Feeds `emilia solve` lines of all kinds with bytes changed, lost and added, and checks that each
# has exactly one answer or error, in its place and with the right exit status.
#
#   scripts/check/lines.sh --count 100000
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/lines.sh [--count N] [--seed N]

  --count N  lines (100000)
  --seed N   which lines (1)

Exit status 0 if all lines are answered as they should be, in text and in JSON.
END
}

declare -A options=([--count]=100000 [--seed]=1)
read_numbers "$@"
need python3 cut diff
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The lines, and the numbers of those that have an answer.
python3 - "${options[--count]}" "${options[--seed]}" "$work" <<'END'
import random
import sys

KINDS = [
    b"XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O",
    b"---------------------------OX------XO--------------------------- X",
    b"XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- O; +64; % over",
    b"bbbbbbbbbbbWWWW****o***X._ooxxxx-OOXXXXX--OXXXXX--XOXXXX-X--XXXX w; C8:-52; B7:-58; % known\t",
    b"XXXXXXXXXXXOOOOXXXXOXXXX-OOXXXXX-OOXXXXX--OXXXXX--XOXXXX-X--XXXX O\t>=0\ta name",
    b"f5d6c3d3c4f4f6f3e6e7\twld",
    b"1. f5 d6 2. c3 d3 3. c4",
    b"(;GM[Othello]PC[a]PB[b]PW[c]TY[8]BO[8 ---------------------------O*------*O"
    b"--------------------------- *]B[F5]W[D6];)\texact",
    b"# a note",
    b"",
]
LONGEST = 1 << 16


def has_answer(line):
    if len(line) > LONGEST:
        return True
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return True
    before, _, _ = text.partition("%")
    field, tab, _ = before.partition("\t")
    field = (field if tab else text).lstrip(" \t")
    return field != "" and field[0] not in "#%"


count, seed, work = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
with open(f"{work}/input", "wb") as lines, open(f"{work}/expected", "w") as expected:
    for number in range(1, count + 1):
        line = bytearray(rng.choice(KINDS))
        for _ in range(rng.randrange(5)):
            place = rng.randrange(len(line) + 1)
            change = rng.randrange(6)
            if change == 0:
                line.insert(place, rng.randrange(256))
            elif change == 1:
                del line[place:]
            elif change == 2:
                line.insert(place, rng.choice(b"\t %#;XO-\r:0"))
            elif change == 3:
                del line[place : place + 1]
            elif change == 4:
                line[place:place] = rng.choice(KINDS)
            elif rng.randrange(200) == 0:
                line += b"-" * LONGEST
        line = bytes(line.replace(b"\n", b""))
        if number == 1:
            line = b"#"
        if has_answer(line[:-1] if line.endswith(b"\r") else line):
            print(number, file=expected)
        lines.write(line + b"\n")
END

solve() {
    local status=0
    "$emilia" solve --wld --empties 12 --max-nodes 2000 "$@" < "$work/input" 2> "$work/stderr" || status=$?
    [[ $status == 1 ]] || fail "the exit status is $status, not 1"
    # Once a minute it says how far it is.
    ! grep -v '^[0-9]* answers, ' "$work/stderr" > "$work/wrong" || fail "standard error: $(head -n 1 "$work/wrong")"
}

solve > "$work/text"
cut -f 1 "$work/text" | diff "$work/expected" - >&2 || fail "a line has no answer, or none in its place"
solve --json > "$work/json"
python3 -c 'import json, sys
for line in sys.stdin.buffer: print(json.loads(line)["line"])' < "$work/json" \
    | diff "$work/expected" - >&2 || fail "a line has no answer in JSON, or none in its place"
printf 'lines %d, answers %d, of them errors %d\n' "${options[--count]}" \
    "$(wc -l < "$work/text")" "$(cut -f 2 "$work/text" | grep -c '^error$')"
