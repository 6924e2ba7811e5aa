// The moves of the line that is shown, and all variations as a tree.

import { go, promote } from "../commands/play";
import { button, h } from "../elements";
import type { Node } from "../game";
import { nameOf, opponent } from "../rules";
import { locale, sideName, state } from "../state";

const list = h("div", { class: "moves", role: "group" });
const tree = h("div", { class: "variations" });
export const movesView = h("section", { class: "card record" });

/** The buttons of the line that is shown, which move is marked, and the report whose marks they bear. */
let drawn: Node[] = [];
let marked: Node | undefined;
let judged: unknown;

export function makeMoves(): void {
  list.setAttribute("aria-label", locale.texts.moves);
  movesView.replaceChildren(h("h2", {}, locale.texts.moves), list, tree);
  drawn = [];
  list.replaceChildren();
  marked = undefined;
}

export function renderMoves(): void {
  const { game, report } = state;
  const line = game.line().slice(1);
  // The buttons stay where they are, with the focus, as long as the line does.
  if (line.length !== drawn.length || line.some((node, i) => node !== drawn[i]) || judged !== report?.found) {
    list.replaceChildren(...line.map(moveButton));
    marked = undefined;
  }
  drawn = line;
  judged = report?.found;
  movesView.hidden = !line.length || state.tab === "train";
  if (marked === game.current) return;
  marked = game.current;
  line.forEach((node, i) => mark(list.children[i] as HTMLElement, node));
  drawTree();
}

/** Shows whether the move led to the position that is shown. */
function mark(one: HTMLElement, node: Node): void {
  one.classList.toggle("branch", node.parent!.children.length > 1);
  if (node !== state.game.current) return one.removeAttribute("aria-current");
  one.setAttribute("aria-current", "true");
  list.scrollTop = one.offsetTop - list.clientHeight / 2;
}

/** Discs that a move loses at least for its mark. What gives away a win or a draw is `??`. */
const MARKS = [["??", 6], ["?", 4], ["?!", 2]] as const;

/** What the analysis says of a move. */
function markOf(node: Node): string | undefined {
  const number = state.report?.line.indexOf(node) ?? -1;
  const move = number > 0 ? state.report!.found?.moves.find((one) => one.number === number) : undefined;
  if (!move) return undefined;
  return move.gift !== undefined ? "??" : MARKS.find(([, discs]) => move.loss >= discs)?.[0];
}

function moveButton(node: Node): HTMLElement {
  const { texts } = locale;
  const name = nameOf(node.move!);
  const mover = node.parent!.position.side;
  const pass = node.passes ? `, ${texts.passes(sideName(opponent(mover)))}` : "";
  const verdict = markOf(node);
  const said = verdict ? `, ${texts.marks[verdict]}` : "";
  // Number and mark are drawn by the style: the text of the button is the move.
  const one = h("button", {
    type: "button", class: "move", onclick: () => go(node), "data-number": node.ply, "data-mark": verdict,
    "aria-label": `${node.ply}. ${sideName(mover)} ${name}${pass}${said}`, title: verdict && texts.marks[verdict],
  });
  one.append(h("span", { class: `dot ${mover}` }), name, node.passes ? ` ${texts.passShort}` : "");
  return one;
}

/** Variations that are shown at most; a link may hold thousands. */
const MOST_VARIATIONS = 100;

function drawTree(): void {
  const { game } = state;
  const left = { rows: MOST_VARIATIONS };
  const rows = variationsOf(game.root, left);
  const path = game.path();
  const isMain = path.every((node) => !node.parent || node.parent.children[0] === node);
  tree.hidden = !rows.length;
  tree.replaceChildren(h("h3", {}, locale.texts.variations), h("ul", {}, ...rows), !isMain ? button(locale.texts.promote, promote) : "");
}

/** The variations of the main line from `start` on, each with its own below it. */
function variationsOf(start: Node, left: { rows: number }): HTMLElement[] {
  const rows: HTMLElement[] = [];
  for (let node: Node | undefined = start; node; node = node.children[0]) {
    for (const other of node.children.slice(1)) {
      if (left.rows-- <= 0) return rows;
      const below = variationsOf(other, left);
      rows.push(h("li", {}, ...words(other), below.length > 0 && h("ul", {}, ...below)));
    }
  }
  return rows;
}

/** `3. c3 d3 c4`: each move can be chosen. */
function words(first: Node): (HTMLElement | string)[] {
  const all: (HTMLElement | string)[] = [`${first.ply}. `];
  for (let node: Node | undefined = first; node; node = node.children[0]) {
    const to = node;
    all.push(button(nameOf(node.move!), () => go(to), { class: "move", "aria-current": node === state.game.current ? "true" : undefined }));
  }
  return all;
}
