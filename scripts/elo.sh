#!/usr/bin/env bash
# A rating table out of the game files of matches: JSON lines (FILE.jsonl) or GGF (FILE.ggf,
# also of other programs, also packed as FILE.ggf.gz). Ratings are relative, their mean is
# 0, and +/- is 95%.
#
#   scripts/elo.sh night.jsonl
#   scripts/elo.sh --svg ratings.svg night-1.jsonl night-2.jsonl
set -euo pipefail

usage() {
    cat <<'END'
Usage: scripts/elo.sh [--full] [--svg FILE] GAMES..

  --full       also the cross table, and how the players used their time
  --svg FILE   also draw the ratings and their intervals

EMILIA names the binary; if it is not set, the release build of this repository is used.
END
}

here=$(cd "$(dirname "$0")/.." && pwd)
brief=(--brief)
options=()
files=()
while (($#)); do
    case $1 in
        --full) brief=() ;;
        --svg)
            options+=(--svg "${2:?--svg needs a file}")
            shift
            ;;
        --help | -h)
            usage
            exit
            ;;
        -*)
            usage >&2
            exit 2
            ;;
        *) files+=("$1") ;;
    esac
    shift
done
if ((${#files[@]} == 0)); then
    usage >&2
    exit 2
fi

emilia=${EMILIA:-}
if [[ -z $emilia ]]; then
    cargo build --release --quiet --manifest-path "$here/Cargo.toml"
    emilia=${CARGO_TARGET_DIR:-$here/target}/release/emilia
fi

exec "$emilia" report "${brief[@]}" "${options[@]}" -- "${files[@]}"
