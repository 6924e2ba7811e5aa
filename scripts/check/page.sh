#!/usr/bin/env bash
# Makes a page with `emilia analyze --html` and tries it in Chromium without a window: clicks on moves, on the graph and on
# turning points, arrow keys, light and dark colours, the plot of a summary, and that it asks for nothing from elsewhere.
#
#   scripts/check/page.sh --keep page.html
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

usage() {
    cat <<'END'
Usage: scripts/check/page.sh [--keep FILE] [--page FILE]

  --keep FILE  keep the page that was made
  --page FILE  try this page instead

Exit status 0 if the page does what it should. Needs Chromium (Debian: apt-get install chromium).
END
}

page=
keep=
take() {
    case $1 in
        --keep) keep=$2 ;;
        --page) page=$2 ;;
    esac
}
read_options "" "--keep --page" "$@"
need chromium grep sed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -z $page ]]; then
    page=$work/page.html
    # Two games of Emilia at depth 1.
    games=(
        d3e3f4c3c4d6c6c5b4b5f6b6f2a5d2f5e6d7g5g3f3g4g6f7e7c2c8d8e8h5h6d1h2e2e1h3h4g8f8b8c1g7b1g1b3f1h1g2h7a3a4b2h8c7b7a8a2a1a6a7
        d3e3f4c3c4d6c6c5b4b5f6b6f2a5d2f5e6d7g5g3f3g4
    )
    "$(find_emilia)" analyze --depth 4 --exact 12 --wld 14 --hash 16 --summary --html "$page" "${games[@]}" > "$work/table"
fi
need_files "$page"
[[ -z $keep ]] || cp "$page" "$keep"

# The trial: it runs in the page after the page's own script, and leaves what it found in the title.
cat > "$work/trial" <<'END'
<script>
addEventListener("load", async () => {
  // Of many games each is drawn when it is opened.
  const fold = document.querySelector("details.game");
  if (fold) {
    await new Promise((opened) => {
      fold.addEventListener("toggle", opened, { once: true });
      fold.open = true;
    });
  }
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const section = document.querySelector("section.game table").closest("section");
  const rows = [...section.querySelectorAll("tbody tr")];
  const shown = () => section.querySelector(".columns .picture").getAttribute("aria-label");
  const key = (name) => dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  const games = JSON.parse(document.getElementById("games").textContent);
  check(rows.length === games[0].moves.length, "a row for each move");
  rows[9].click();
  check(shown() === "board before move 10", "a click on a move shows its board: " + shown());
  check(rows[9].getAttribute("aria-current") === "true", "the move is marked");
  check(section.querySelectorAll(".columns .picture circle[r='4.2']").length === 13, "all discs of move 10");
  key("ArrowRight");
  check(shown() === "board before move 11", "the right arrow goes on: " + shown());
  key("ArrowUp"); key("ArrowLeft");
  check(shown() === "board before move 9", "left and up go back: " + shown());
  for (let i = 0; i < 100; i++) key("ArrowLeft");
  check(shown() === "board before move 1", "it stops at the first move: " + shown());
  const graph = section.querySelector(".graph");
  const box = graph.getBoundingClientRect();
  graph.dispatchEvent(new MouseEvent("click", { clientX: box.right - 2, clientY: box.top + 20, bubbles: true }));
  check(shown() === "board before move " + rows.length, "a click on the graph chooses a move: " + shown());
  const turn = section.querySelector(".turns button");
  if (turn) {
    turn.click();
    check(turn.querySelector("span").textContent.startsWith(shown().replace("board before move ", "") + "."), "a turning point is chosen: " + shown());
  }
  const list = section.querySelector(".table");
  check(list.scrollWidth <= list.clientWidth && document.body.scrollWidth <= innerWidth, "no column is hidden");
  const disc = section.querySelector(".dot").getBoundingClientRect();
  check(disc.width === disc.height, `discs are round: ${disc.width} x ${disc.height}`);
  const axis = [...graph.querySelectorAll("text[text-anchor=end]")].map((text) => parseFloat(text.textContent.replace("\u2212", "-")));
  check(axis.every((number) => isNaN(number) || number % 4 === 0), "the axis has round numbers: " + axis);
  const summary = JSON.parse(document.getElementById("summary").textContent);
  check(!summary || document.querySelectorAll(".bars rect").length >= 5 * summary.length, "the summary has its bars");
  check(performance.getEntriesByType("resource").length === 0, "nothing is loaded");
  document.title = (faults.length ? "FAULT " + faults.join("; ") : "FINE") + " " + getComputedStyle(document.body).backgroundColor;
});
addEventListener("error", (event) => { document.title = "FAULT " + event.message; });
</script>
END
sed -e "/<\/body>/{
r $work/trial
}" "$page" > "$work/tried.html"

# A phone: a frame, as a window of Chromium cannot be that narrow.
cat > "$work/phone.html" <<'END'
<iframe src="tried.html" width="320" height="640"></iframe>
<script>setInterval(() => { document.title = frames[0].document.title; }, 100);</script>
END

# Opens the page $2 with one preferred colour scheme, 0 dark or 1 light; prints its title.
try() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/profile$1" --log-net-log="$work/net$1.json" \
        --blink-settings=preferredColorScheme="$1" --allow-file-access-from-files --window-size=1100,900 --virtual-time-budget=5000 \
        --dump-dom "file://$work/$2" 2> /dev/null | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' | head -n 1
}

light=$(try 1 tried.html)
dark=$(try 0 tried.html)
phone=$(try 1 phone.html)
echo "light: $light"
echo "dark: $dark"
echo "phone: $phone"
[[ $light == FINE* && $dark == FINE* && $phone == FINE* ]] || fail "the page does not do what it should"
[[ $light != "$dark" ]] || fail "light and dark look the same"
if grep -hoE '"url":"(https?|wss?):[^"]*"' "$work"/net?.json | grep -vE 'google|gvt1' ; then
    fail "the page asks for something from elsewhere"
fi
echo "the page works, light and dark and on a phone, and asks for nothing"
