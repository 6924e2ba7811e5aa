#!/usr/bin/env bash
# Certifies leaves of a proof: random lines from given claims down to a number of empties, each solved with a proof,
# which `emilia verify` checks, and verify_proof.py where it is small. Prints of each leaf its board,
# what was proven, the positions of the proof and its SHA-256. Run again with the same folder, it continues.
#
#   scripts/check/leaves.sh --folder work --count 1000 claims.txt > leaves.tsv
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/leaves.sh --folder FOLDER [--count N] [--seed N] [--empties N] [--hash MB] [--max-nodes N] [--python N] CLAIMS

  --folder FOLDER  lines, answers and proofs
  --count N        leaves (1000)
  --seed N         which ones (1)
  --empties N      their empty squares (36)
  --hash MB        memory of the hash table (256)
  --max-nodes N    give a leaf up after so many nodes, for solve and proof each (2000000000)
  --python N       the smallest proofs, to be checked in Python too (300), below 20,000 positions
  CLAIMS           positions with claims, tab-separated
END
}

folder='' count=1000 seed=1 empties=36 hash=256 max_nodes=2000000000 python=300
take() {
    local name=${1#--}
    printf -v "${name/-/_}" '%s' "$2"
}
read_arguments "" "--folder --count --seed --empties --hash --max-nodes --python" "$@"
[[ ${#operands[@]} == 1 && -n $folder ]] || usage_error
need_files "${operands[@]}"
need awk sha256sum python3
emilia=$(find_emilia)
mkdir -p "$folder"

status=0
if [[ ! -f $folder/lines ]]; then
    "$emilia" batch probe --empties "$empties" --bias 0 --count "$count" --seed "$seed" "${operands[0]}" > "$folder/part" \
        || status=$?
    ((status == 3)) || fail "there are no lines"
    mv "$folder/part" "$folder/lines"
fi
status=0
"$emilia" solve --deterministic --memo 0 --hash "$hash" --threads 1 --max-nodes "$max_nodes" --proof "$folder/proofs/" \
    --output "$folder/answers" --resume "$folder/lines" || status=$?
((status == 0 || status == 3)) || fail "the leaves were not solved"

find "$folder/proofs" -name '*.proof' -print0 | sort -z | xargs -0 "$emilia" verify > "$folder/verified" \
    || fail "a proof is none: $(grep -m 1 'not proven' "$folder/verified")"
# What was proven, of which board, is what the lines ask and the answers say; of a refuted claim, the opposite.
sed -E 's|^.*/([0-9]+)\.proof: proven: (.*) at ([-XO]{64} [XO]); positions ([0-9]+),.*$|\1\t\2\t\3\t\4|' \
    "$folder/verified" | sort -n > "$folder/proven"
awk -F '\t' 'NR == FNR { board[NR] = $1; claim[NR] = $2; next }
    $2 == "proven" || $2 == "refuted" {
        least = substr(claim[FNR], 1, 1) == ">"
        discs = substr(claim[FNR], 3)
        if ($2 == "refuted") { discs += least ? -2 : 2; least = !least }
        printf "%d\tscore %s= %+d\t%s\n", FNR, least ? ">" : "<", discs, board[FNR]
    }' "$folder/lines" "$folder/answers" > "$folder/expected"
cut -f 1-3 "$folder/proven" | diff - "$folder/expected" >&2 || fail "proofs and answers differ"

if ((python > 0)); then
    awk -F '\t' '$4 < 20000 { print $4 "\t" $1 }' "$folder/proven" | sort -n | head -n "$python" | cut -f 2 > "$folder/small"
    sed "s|.*|$folder/proofs/&.proof|" "$folder/small" | xargs python3 "$here/scripts/check/verify_proof.py" > "$folder/python" \
        || fail "the checkers differ: $(grep -m 1 'not proven' "$folder/python")"
    printf '%d proofs checked in Python too\n' "$(wc -l < "$folder/small")" >&2
fi
awk -F '\t' 'NR == FNR { count = split($3, name, " "); board[NR] = name[count]; next }
    { gsub(/score | |\+/, "", $2); print $1 "\t" board[$1] "\t" $2 "\t" $4 }' "$folder/lines" "$folder/proven" > "$folder/list"
while IFS=$'\t' read -r number board claim positions; do
    printf '%s\t%s\t%s\t%s\n' "$board" "$claim" "$positions" "$(sha256sum < "$folder/proofs/$number.proof" | cut -d ' ' -f 1)"
done < "$folder/list"
printf '%d leaves, %d proven, verified and as asked\n' "$(wc -l < "$folder/lines")" "$(wc -l < "$folder/proven")" >&2
