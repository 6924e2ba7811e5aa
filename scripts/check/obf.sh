#!/usr/bin/env bash
# Solves OBF files and compares with the scores they carry: exact results, win/loss/draw
# results, and (with --moves) the score of every move. The lines are checked as well.
#
#   scripts/check/obf.sh --portable ffo/fforum-1-19.obf ffo/fforum-20-39.obf
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/obf.sh [--moves] [--portable] [--threads N] [--hash MB] FILE..

  --moves      also solve for the score of every move
  --portable   also with a build for any x86-64
  --threads N  threads (all cores if left out)
  --hash MB    memory of the hash tables (1024)

Exit status 0 if everything agrees.
END
}

moves=false
portable=false
hash=1024
options=()
take() {
    case $1 in
        --moves) moves=true ;;
        --portable) portable=true ;;
        --hash) hash=$2 ;;
        *) options+=("$@") ;;
    esac
}
read_files "--moves --portable" "--threads --hash" "$@"
# A second --hash would be refused.
options+=(--hash "$hash")

binaries=("$(build native)")
if $portable; then
    binaries+=("$(build portable)")
fi

failed=0
# Checks one file in one way; prints the lines that do not agree.
check() {
    local binary=$1 file=$2
    shift 2
    echo "== $(basename "$file") $* ($binary)"
    if ! "$binary" solve --check "${options[@]}" "$@" "$file" > "$answers"; then
        grep -E $'mismatch|\terror\t' "$answers" || true
        failed=1
    fi
}

answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
for file in "${files[@]}"; do
    for binary in "${binaries[@]}"; do
        check "$binary" "$file" --exact
        check "$binary" "$file" --wld
        if $moves; then
            check "$binary" "$file" --exact --all-moves
        fi
    done
done
exit "$failed"
