#!/usr/bin/env bash
# A rating table from the game files of matches: JSON lines (FILE.jsonl) or GGF (FILE.ggf,
# also of other programs, also packed as FILE.ggf.gz). Ratings are relative, their mean is
# 0, and "from" and "to" are their 95% interval.
#
#   scripts/elo.sh games.jsonl
#   scripts/elo.sh --svg ratings.svg match-1.jsonl match-2.jsonl
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    cat <<'END'
Usage: scripts/elo.sh [--full] [--svg FILE] GAMES..

  --full       also the cross table, and how the players used their time
  --svg FILE   also draw the ratings and their intervals

EMILIA names the binary; if it is not set, the release build of this repository is used.
END
}

brief=(--brief)
options=()
take() {
    case $1 in
        --full) brief=() ;;
        *) options+=("$@") ;;
    esac
}
read_files "--full" "--svg" "$@"

emilia=$(find_emilia)
exec "$emilia" report "${brief[@]}" "${options[@]}" -- "${files[@]}"
