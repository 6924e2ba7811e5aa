#!/usr/bin/env bash
# Checks that an opening book survives what happens to files: kills at random moments while it grows, a second writer, a
# full disk, a file that may not be written, and damage. Books of other programs are damaged as well, and go there and back.
#
#   scripts/check/book.sh --large 200
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/book.sh [--kills N] [--damaged N] [--large MB] [--seed N]

  --kills N    kills of a book that grows (50)
  --damaged N  damaged files of each of the three kinds (2000)
  --large MB   also import books of this size in the layouts of Edax and Egaroucid, each in 500 MB of memory and a minute (0: no)
  --seed N     what is drawn (1)

Exit status 0 if nothing is lost but the last seconds, and nothing that is read is wrong without an error that names it.
END
}

declare -A options=([--kills]=50 [--damaged]=2000 [--large]=0 [--seed]=1)
read_numbers "$@"
need cmp python3
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
book=$work/a.book
RANDOM=${options[--seed]}

# The number of positions of a book that is whole: `positions BOOK`.
positions() {
    "$emilia" book check --json "$1" > "$work/check" 2> "$work/stderr" || true
    python3 -c '
import json, sys
found = json.load(sys.stdin)
print(found["positions"])
sys.exit(bool(found["damaged"]) or found["illegal"] > 0 or found["not_canonical"] > 0 or found["wrong_scores"] > 0)' < "$work/check" \
        || fail "the book is not whole: $(< "$work/check")$(< "$work/stderr")"
}

# The command that makes the book grow.
grow=("$emilia" book grow "$book" --depth 6 --threads 2 --hash 4)

# A command has to end with status 1 and this reason: `refused STATUS REASON FILE`, its standard error in the file.
refused() {
    if [[ $1 != 1 ]] || ! grep -q "$2" "$3"; then
        fail "status $1 instead of an error with '$2': $(< "$3")"
    fi
}

before=0
for ((kill = 1; kill <= options[--kills]; kill++)); do
    "${grow[@]}" 2> "$work/log" &
    pid=$!
    sleep "$((RANDOM % 5)).$((RANDOM % 900 + 100))"
    kill -9 "$pid" 2> /dev/null || fail "it ended before it was killed: $(< "$work/log")"
    wait "$pid" 2> /dev/null || true
    # It may be killed before the file has a beginning.
    [[ -s $book ]] || continue
    found=$(positions "$book")
    ((found >= before)) || fail "$found positions after a kill, $before before"
    before=$found
done
((before > 0 || options[--kills] == 0)) || fail "nothing was kept"
"${grow[@]}" --positions $((before + 50)) 2> "$work/log" || fail "it does not grow any more: $(< "$work/log")"
"$emilia" book check "$book" > "$work/check" 2>&1 || fail "it is not consistent: $(< "$work/check")"
printf 'killed %d times: whole each time, %d positions\n' "${options[--kills]}" "$before"

"${grow[@]}" 2> "$work/log" &
pid=$!
sleep 1
status=0
"$emilia" book deepen "$book" 2> "$work/stderr" || status=$?
kill "$pid"
wait "$pid" 2> /dev/null || true
refused "$status" 'another process is changing' "$work/stderr"

# A file that is as long as it may be.
status=0
blocks=$(($(stat -c %s "$book") / 1024 + 8))
(
    trap '' XFSZ
    ulimit -f "$blocks"
    "${grow[@]}" 2> "$work/log"
) || status=$?
refused "$status" 'cannot write' "$work/log"
positions "$book" > "$work/count"
"${grow[@]}" --positions $(($(< "$work/count") + 10)) 2> "$work/log" || fail "after a full disk: $(< "$work/log")"

# The superuser may write everything, so somebody else tries.
chmod 755 "$work"
chmod 444 "$book"
as_other=()
if ((EUID == 0)); then
    as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
cp "$emilia" "$work/emilia"
"${as_other[@]}" "$work/emilia" book show "$book" > "$work/shown" 2>&1 \
    || fail "a read-only book cannot be read: $(< "$work/shown")"
status=0
"${as_other[@]}" "$work/emilia" book deepen "$book" 2> "$work/stderr" || status=$?
refused "$status" 'cannot write' "$work/stderr"
chmod 644 "$book"
printf 'a second writer, a full disk and a read-only file: clear errors, and the book is whole\n'

for format in edax egaroucid; do
    "$emilia" book export --format "$format" "$book" "$work/$format" 2> "$work/log"
    "$emilia" book import --format "$format" "$work/$format" "$work/$format.book" 2> "$work/log"
    "$emilia" book export --format "$format" "$work/$format.book" "$work/$format.again" 2> "$work/log"
    cmp "$work/$format" "$work/$format.again" || fail "$format: another book after a round trip"
done

# A small book, so that files are damaged in all of their parts.
small=$work/small.book
"$emilia" book grow "$small" --depth 2 --hash 1 --positions 400 2> "$work/log"
for format in edax egaroucid text; do
    "$emilia" book export --format "$format" "$small" "$work/small.$format" 2> "$work/log"
done
python3 - "$emilia" "$work" "${options[--damaged]}" "${options[--seed]}" <<'END'
import os
import random
import subprocess
import sys

emilia, work, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def damaged(whole):
    data = bytearray(whole)
    at = rng.randrange(len(data))
    span = rng.randrange(1, 300)
    kind = rng.randrange(7)
    if kind == 0:
        del data[at:]
    elif kind == 1:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 2:
        for _ in range(20):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == 3:
        data[at : at + span] = rng.randbytes(len(data[at : at + span]))
    elif kind == 4:
        del data[at : at + span]
    elif kind == 5:
        data[at:at] = data[at : at + span]
    else:
        size = rng.choice([64, 4096])
        one, other = (size * rng.randrange(max(1, len(data) // size)) for _ in range(2))
        data[one : one + size], data[other : other + size] = data[other : other + size], data[one : one + size]
    return bytes(data)


def run(*arguments):
    done = subprocess.run([emilia, "book", *arguments], capture_output=True, timeout=60)
    if done.returncode not in (0, 1):
        sys.exit(f"check/book.sh: status {done.returncode} of {arguments}: {done.stderr.decode(errors='replace')}")
    return done


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


own, out = f"{work}/damaged", f"{work}/damaged.out"
whole = read(f"{work}/small.book")
lines = set(read(f"{work}/small.text").splitlines())
refused = named = 0
for number in range(count):
    given = damaged(whole)
    write(own, given)
    done = run("deepen", "--depth", "1", own)
    if done.returncode == 1 and read(own) != given:
        sys.exit(f"check/book.sh: damage {number}: a refused command changed the file")
    write(own, given)
    done = run("export", "--format", "text", own, out)
    if done.returncode == 1:
        refused += 1
        if not (b"damaged" in done.stderr or b"is no book" in done.stderr):
            sys.exit(f"check/book.sh: damage {number} has another error: {done.stderr.decode()}")
        continue
    found = read(out).splitlines()
    os.remove(out)
    wrong = [line for line in found if line not in lines]
    if wrong:
        sys.exit(f"check/book.sh: damage {number} gave a wrong answer: {wrong[0].decode()}")
    if len(found) < len(lines):
        named += 1
        if b"is damaged: block" not in done.stderr:
            sys.exit(f"check/book.sh: damage {number} took positions and was not named")
print(f"{count} damaged books: {refused} refused, {named} read in part with the blocks named, the others read whole")
for form in ("edax", "egaroucid"):
    whole = read(f"{work}/small.{form}")
    refused = 0
    for _ in range(count):
        write(own, damaged(whole))
        done = run("import", "--format", form, own, out)
        refused += done.returncode
        if done.returncode == 0:
            if run("check", out).returncode != 0:
                sys.exit("check/book.sh: a damaged book became one that is not whole")
            os.remove(out)
    print(f"{count} damaged books of the layout of {form}: {refused} refused, the others read")
END

((options[--large] > 0)) || exit 0
need cargo
for format in edax egaroucid; do
    # Bytes of a position of such a book, about.
    case $format in
        edax) bytes=48 ;;
        egaroucid) bytes=25 ;;
    esac
    rm -f "$work/large.book" "$work/large"
    (cd "$here" && cargo run --release --locked --quiet --example book_speed -- \
        "$work/large.book" $((options[--large] * 1000000 / bytes)) > "$work/log")
    "$emilia" book export --format "$format" "$work/large.book" "$work/large" 2> "$work/log"
    rm "$work/large.book"
    python3 - "$emilia" "$format" "$work/large" "$work/large.book" <<'END'
import os
import subprocess
import sys
import time

emilia, form, source, book = sys.argv[1:]
start = time.monotonic()
child = subprocess.Popen([emilia, "book", "import", "--format", form, source, book], stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
seconds = time.monotonic() - start
megabytes = usage.ru_maxrss * 1024 / 1e6
print(f"{form}: {os.path.getsize(source) / 1e6:.0f} MB imported in {seconds:.0f} s and {megabytes:.0f} MB")
sys.exit(status != 0 or megabytes > 500 or seconds > 60)
END
done
