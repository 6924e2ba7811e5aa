#!/usr/bin/env bash
# Plays Emilia against real hosts, untouched: Quarry's own window with GRhino as the opponent (a whole
# game under Xvfb, with a screenshot), and GoGui's tools where the system has them. Fails at an illegal
# move, a protocol error or a forfeit.
#
#   scripts/check/hosts.sh --engine target/release/emilia --screenshot docs/quarry.png
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/hosts.sh [--engine FILE] [--arguments "gtp --level 15"] [--color black|white]
                              [--time SECONDS] [--screenshot FILE] [--log DIR] [--limit SECONDS]

  --engine FILE       Emilia's binary (built here if left out)
  --arguments TEXT    how Quarry starts it ("gtp --level 15")
  --color COLOR       what Emilia plays (black)
  --time SECONDS      on each side's clock, 0 for none (120)
  --screenshot FILE   where Quarry's window at the end of the game goes (into the log)
  --log DIR           where the conversation and the pictures go (a temporary folder)
  --limit SECONDS     how long the game may take at most (600)

Installs Debian's quarry, grhino, xvfb, xdotool, openbox and imagemagick where they are missing.
END
}

arguments="gtp --level 15"
color=black
time=120
screenshot=
log=
limit=600
take() {
    case $1 in
        --engine) EMILIA=$(realpath "$2") ;;
        *) printf -v "${1#--}" '%s' "$2" ;;
    esac
}
read_options "" "--engine --arguments --color --time --screenshot --log --limit" "$@"
[[ $color == black || $color == white ]] || usage_error
engine=$(realpath "$(find_emilia)")
log=${log:-$(mktemp -d)}
mkdir -p "$log"
log=$(realpath "$log")
screenshot=${screenshot:-$log/end.png}

# What went wrong, and a picture of it.
failed() {
    [ -z "${DISPLAY:-}" ] || import -window root "$log/fail.png" || true
    fail "$1 (see $log)"
}

install_missing() {
    local missing=()
    [ -x /usr/games/quarry ] || missing+=(quarry)
    [ -x /usr/games/gtp-rhino ] || missing+=(grhino)
    command -v Xvfb >/dev/null || missing+=(xvfb)
    command -v xdotool >/dev/null || missing+=(xdotool)
    command -v openbox >/dev/null || missing+=(openbox)
    command -v import >/dev/null || missing+=(imagemagick)
    [ ${#missing[@]} -eq 0 ] && return
    need apt-get
    echo "installing ${missing[*]}"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log/apt.log" 2>&1 ||
        failed "cannot install ${missing[*]}"
}

# Quarry's configuration: two engines, and a new game between them.
write_configuration() {
    local black=Emilia white="GNU Rhino"
    [ "$color" = black ] || { black="GNU Rhino" white=Emilia; }
    local control=0
    [ "$time" -eq 0 ] || control=1
    cat <<END
[GTP Engine "Emilia"]
Screen name format = "Emilia"
Name = "Emilia"
Version = "1"
Command line = "$engine $arguments"
Supported games = "Reversi"

[GTP Engine "GNU Rhino"]
Screen name format = "GNU Rhino"
Name = "GNU Rhino"
Version = "1"
Command line = "/usr/games/gtp-rhino"
Supported games = "Reversi"

[New Game Parameters]
Game = "Reversi"
White is computer = true
Engine playing white = "$white"
Black is computer = true
Engine playing black = "$black"

[New Reversi Game Parameters]
Board size = 8
Time control type = $control
Time limit for game = "$(printf '%02d:%02d' $((time / 60)) $((time % 60)))"
END
}

# Waits for the window with this name, and gives it the keyboard.
focus() {
    local window tries
    for tries in $(seq 150); do
        window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1 || true)
        if [ -n "$window" ] && xdotool windowactivate --sync "$window" 2>/dev/null; then
            sleep 1
            return
        fi
        sleep 0.2
    done
    failed "no window '$1' after $tries tries"
}

# Lines of the conversation that match. Quarry writes `> command` and, indented, the answers.
count() { grep -cE "$1" "$log/gtp.log" || true; }

processes=()
home=$(mktemp -d)
# shellcheck disable=SC2317  # called by the trap
clean_up() {
    local index
    for ((index = ${#processes[@]} - 1; index >= 0; index--)); do
        kill "${processes[index]}" 2>/dev/null || true
    done
    wait 2>/dev/null || true
    rm -rf "$home"
}
trap clean_up EXIT

start_display() {
    local number
    for number in $(seq 91 150); do
        [ -e "/tmp/.X11-unix/X$number" ] || [ -e "/tmp/.X$number-lock" ] || break
    done
    Xvfb ":$number" -screen 0 1000x820x24 >"$log/xvfb.log" 2>&1 &
    processes+=($!)
    export DISPLAY=":$number"
    for _ in $(seq 100); do
        xdotool getmouselocation >/dev/null 2>&1 && break
        sleep 0.1
    done
    openbox >"$log/openbox.log" 2>&1 &
    processes+=($!)
    sleep 1
}

play_in_quarry() {
    write_configuration >"$home/.quarry"
    HOME=$home LC_ALL=C.UTF-8 stdbuf -oL /usr/games/quarry --gtp-log=- --gtp-show-stderr \
        >"$log/gtp.log" 2>"$log/quarry.log" &
    local quarry=$!
    processes+=("$quarry")
    focus 'Control Center'
    xdotool key alt+n
    focus 'New Game'
    xdotool key alt+f
    sleep 1
    import -window root "$log/new-game.png"
    xdotool key alt+p

    # Quarry knows the rules: when it asks for no more moves, its game is over.
    local asked answered last=-1 still=0 start=$SECONDS
    while [ $still -lt 8 ]; do
        [ $((SECONDS - start)) -lt "$limit" ] || failed "the game did not end in $limit seconds"
        kill -0 "$quarry" 2>/dev/null || failed "Quarry ended"
        ! grep -E '^\* |^ *\?' "$log/gtp.log" || failed "Quarry or an engine reported an error"
        sleep 1
        asked=$(count '^> genmove')
        answered=$(count '^ *= *[A-Ha-h][1-8] *$')
        if [ "$asked" -gt 0 ] && [ "$asked" = "$last" ] && [ "$answered" = "$asked" ]; then
            still=$((still + 1))
        else
            still=0
        fi
        last=$asked
    done
    import -window "$(xdotool getactivewindow)" "$log/end.png"

    # A game has at most 60 moves, and ends earlier only if neither side can move.
    [ "$asked" -ge 40 ] || failed "only $asked moves were played"
    [ "$(count '^> play')" = "$asked" ] || failed "$asked moves were chosen, but others were sent"
    echo "Quarry: a whole game, $asked moves, no error"
}

# The game again, move by move, with Emilia as the ruler: every move was legal, and at the end neither
# side can move. So no engine resigned, lost on time or was cut off.
judge_game() {
    {
        echo "boardsize 8"
        sed -n 's/^> play/play/p' "$log/gtp.log"
        echo "gogui-rules_final_result"
        echo "final_score"
        echo "quit"
    } | "$engine" gtp >"$log/judge.log"
    ! grep -E '^\?' "$log/judge.log" || failed "an illegal move was played, or the game is not over"
    sed -n "s/^= \(.* wins .*\|.* draw.*\)/Emilia played $color. \1/p" "$log/judge.log"
}

# GoGui's twogtp, if this system has it: Emilia against itself, with itself as the referee.
play_in_gogui() {
    if ! command -v gogui-twogtp >/dev/null; then
        echo "gogui-twogtp: not installed, not run"
        return
    fi
    gogui-twogtp -black "$engine gtp --level 3" -white "$engine gtp --level 2" -referee "$engine gtp" \
        -size 8 -games 2 -alternate -auto -sgffile "$log/gogui" >"$log/gogui.log" 2>&1 || failed "gogui-twogtp failed"
    echo "gogui-twogtp: two games"
}

install_missing
start_display
play_in_quarry
judge_game
mkdir -p "$(dirname "$screenshot")"
[ "$log/end.png" -ef "$screenshot" ] || cp "$log/end.png" "$screenshot"
play_in_gogui
echo "screenshot: $screenshot"
