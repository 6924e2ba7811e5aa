#!/usr/bin/env bash
# Builds the page with its package, web/engine, and talks to that in Node and in a browser: the same lines must give the same
# nodes, scores and lines as the native program, and a search must stop when its host wants that.
# Builds the checker of proofs as well, without a warning.
#
#   scripts/check/wasm.sh
#
# Needs rustup's target wasm32-unknown-unknown, and npm with Node 20; the browser is chromium, where there is one.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
}

read_options "" "" "$@"
need cargo node npm diff sed
emilia=$(find_emilia)
cd "$here"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd web && npm ci --silent --no-audit --no-fund && npm run --silent build > "$work/sizes") || fail "the build failed"
RUSTFLAGS='-D warnings' cargo build --quiet --locked --manifest-path verify/Cargo.toml \
    --target wasm32-unknown-unknown --target-dir target/wasm-verify || fail "the checker of proofs does not build"
cp web/dist/engine/* web/engine/browser.mjs "$work"

# The program of docs/EMBED.md, in Node with the Worker of a browser.
cat > "$work/embed.mjs" << 'SHIM'
import { Worker as Thread } from "node:worker_threads";
globalThis.Worker = class {
  constructor(file) {
    this.thread = new Thread(new URL(file, import.meta.url));
    this.thread.on("message", (data) => this.onmessage({ data }));
  }
  postMessage(line) {
    this.thread.postMessage(line);
  }
};
SHIM
# `block LANGUAGE`: what the page has in that language.
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p;}" docs/EMBED.md
}
block js >> "$work/embed.mjs"
block text > "$work/says"
timeout 120 node "$work/embed.mjs" | diff "$work/says" - || fail "docs/EMBED.md says something else"

# Replies without what depends on the machine.
talk() {
    "$@" | sed -E 's/ (nps|time) [0-9]+//g; s/, [0-9]+ nodes\/s$//'
}

cat > "$work/lines" << 'LINES'
setoption name Hash value 16
go depth 8
go depth 12
position board -XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O
go exact
go wld
position board OOOOOOO-OOOOOOX-OXXXOXX-OOXOXOO-OOOXXOO-XOXXOX--XXOXXX--XOOXX--- X
go exact
bench
LINES
talk "$emilia" < "$work/lines" > "$work/native"
signature=$(tail -n 1 "$work/native")

# `check NAME COMMAND..`: the worker in one host, to which COMMAND talks.
check() {
    local name=$1
    shift
    talk "$@" < "$work/lines" > "$work/wasm"
    diff "$work/native" "$work/wasm" || fail "native and WebAssembly in $name differ"

    # The search has begun when its first line comes; without a stop it would last for ever.
    printf 'go infinite\nwait 3000\nstop\n' | timeout 60 "$@" > "$work/stopped" \
        || fail "the search does not stop in $name"
    grep -q '^bestmove ' "$work/stopped" || fail "no answer to 'stop' in $name"
    printf 'native and WebAssembly in %s agree: %s\n' "$name" "$signature"
}

check Node node "$work/talk.mjs"
# A level does not repeat itself: of ten sessions not all have the same move.
for ((i = 0; i < 10; i++)); do
    printf 'setoption name Level value 5\nposition startpos moves f5 d6 c3 d3\ngo\n' | node "$work/talk.mjs" | tail -n 1
done > "$work/moves"
(($(sort -u "$work/moves" | wc -l) > 1)) || fail "a level repeats itself"
if command -v chromium > /dev/null; then
    check Chromium timeout 300 node "$work/browser.mjs" chromium
else
    echo "chromium: not installed, not run"
fi
printf '%s bytes\n' "$(stat -c %s "$work/emilia.wasm")"
