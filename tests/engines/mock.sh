#!/usr/bin/env bash
# An engine that misbehaves: mock.sh PROTOCOL FAULT [MARKER [COMMAND..]]
# It greets the host as PROTOCOL (ugi, gtp or nboard) wants it, and when it is asked for
# a move it does one of:
#   crash     ends with status 3, says why  garbage  answers what is no move
#   hang      says nothing more             cheat    plays a1, which is not legal
#   late      answers after half a second   flood    writes lines without end
#   resign    gives up (gtp)                refuse   answers with an error (gtp)
# With MARKER it does so only until the file MARKER is there, which it makes; after that
# it is the engine COMMAND.
# Example: mock.sh ugi crash
set -euo pipefail

protocol=$1 fault=$2 marker=${3-}
if [[ -n $marker ]]; then
    if [[ -e $marker ]]; then
        exec "${@:4}"
    fi
    touch "$marker"
fi

# A move as the protocol has it.
answer() {
    case $protocol in
        ugi) echo "bestmove $1" ;;
        gtp) printf '= %s\n\n' "$1" ;;
        nboard) echo "=== $1" ;;
    esac
}

misbehave() {
    case $fault in
        crash)
            echo 'cannot open the book' >&2
            exit 3
            ;;
        hang) sleep 1000 ;;
        late) sleep 0.5 && answer d3 ;;
        garbage) answer 'x?y' ;;
        cheat) answer a1 ;;
        flood) yes 'info string more' ;;
        resign) answer resign ;;
        refuse) printf '? no\n\n' ;;
    esac
}

while read -r line; do
    case $protocol:$line in
        ugi:ugi) echo ugiok ;;
        ugi:isready) echo readyok ;;
        nboard:ping*) echo "pong ${line#ping }" ;;
        ugi:go* | gtp:genmove* | nboard:go) misbehave ;;
        *:quit) exit 0 ;;
        gtp:*) printf '=\n\n' ;;
    esac
done
