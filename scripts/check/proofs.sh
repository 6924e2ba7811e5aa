#!/usr/bin/env bash
# Makes proofs of who wins positions of 14 to 20 empty squares, checks each, and compares what it
# claims with the reference solver's answer (up to 17 empties) or with a solve without a proof (above).
#
#   scripts/check/proofs.sh --count 10000
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/proofs.sh [--count N] [--min-empties N] [--max-empties N] [--seed N] [--python N]

  --count N        positions (200)
  --min-empties N  fewest empty squares (14)
  --max-empties N  most empty squares (20)
  --seed N         which positions (1)
  --python N       also check the N smallest proofs with scripts/check/verify_proof.py (0)

Exit status 0 if all proofs are verified and claim what is true.
END
}

declare -A options=([--count]=200 [--min-empties]=14 [--max-empties]=20 [--seed]=1 [--python]=0)
read_numbers "$@"
need awk sed diff
emilia=$(find_emilia)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$emilia" positions --seed "${options[--seed]}" --count "${options[--count]}" --depth 1 \
    --min-empties "${options[--min-empties]}" --max-empties "${options[--max-empties]}" \
    | grep -v '^%' | cut -d ';' -f 1 > "$work/positions"

# The numbers of the lines with few and with many empties.
awk -v few="$work/few" -v many="$work/many" \
    '{ print NR > (gsub("-", "-", $1) <= 17 ? few : many) }' "$work/positions"
for kind in few many; do
    [[ -f $work/$kind ]] || continue
    awk 'NR == FNR { wanted[$1]; next } FNR in wanted' "$work/$kind" "$work/positions" > "$work/$kind.positions"
    reference=()
    if [[ $kind == few ]]; then
        reference=(--reference)
    fi
    "$emilia" solve --wld "${reference[@]}" "$work/$kind.positions" | cut -f 2 | paste "$work/$kind" - >> "$work/answers"
done
sort -n "$work/answers" > "$work/expected"

"$emilia" solve --wld --proof "$work/proofs/" "$work/positions" > "$work/made" \
    || fail "a proof could not be made: $(grep -P '\t(error|unsolved)' "$work/made" | head -n 1)"
find "$work/proofs" -name '*.proof' -print0 | xargs -0 "$emilia" verify > "$work/verified" \
    || fail "a proof is none: $(grep 'not proven' "$work/verified" | head -n 1)"

# What the proofs say, as `solve` says it.
sed -E 's|^.*/([0-9]+)\.proof: proven: (.*) at .*$|\1\t\2|
    s/\tscore >= \+2$/\twin/; s/\tscore <= -2$/\tloss/; s/\tscore >= \+0 and score <= \+0$/\tdraw/' \
    "$work/verified" | sort -n > "$work/proven"
diff "$work/expected" "$work/proven" >&2 || fail "proofs and answers differ"

if ((options[--python] > 0)); then
    need python3
    find "$work/proofs" -name '*.proof' -size -100k -printf '%s %p\n' | sort -n | head -n "${options[--python]}" \
        | cut -d ' ' -f 2 | xargs python3 "$here/scripts/check/verify_proof.py" > "$work/python" \
        || fail "the checkers differ: $(grep 'not proven' "$work/python" | head -n 1)"
fi
printf 'proofs made, verified and right: %d, %s bytes in all\n' \
    "$(wc -l < "$work/proven")" "$(find "$work/proofs" -name '*.proof' -printf '%s\n' | awk '{ sum += $1 } END { print sum }')"
