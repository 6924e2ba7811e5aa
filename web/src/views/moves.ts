// The moves of the line that is shown, and all variations as a tree.

import { go, promote } from "../commands/play";
import { button, h } from "../elements";
import type { Node } from "../game";
import { nameOf, opponent } from "../rules";
import { locale, sideName, state } from "../state";

const list = h("div", { class: "moves", role: "group" });
const tree = h("div", { class: "variations" });
export const movesView = h("section", { class: "card" });

/** The buttons of the line that is shown, and which move is marked. */
let drawn: Node[] = [];
let marked: Node | undefined;

export function makeMoves(): void {
  list.setAttribute("aria-label", locale.texts.moves);
  movesView.replaceChildren(h("h2", {}, locale.texts.moves), list, tree);
  drawn = [];
  list.replaceChildren();
  marked = undefined;
}

export function renderMoves(): void {
  const { game } = state;
  const line = game.line().slice(1);
  // The buttons stay where they are, with the focus, as long as the line does.
  if (line.length !== drawn.length || line.some((node, i) => node !== drawn[i])) {
    list.replaceChildren(...line.map(moveButton));
    marked = undefined;
  }
  drawn = line;
  if (marked === game.current) return;
  marked = game.current;
  line.forEach((node, i) => mark(list.children[i] as HTMLElement, node));
  drawTree();
  movesView.hidden = !line.length;
}

/** Shows whether the move led to the position that is shown. */
function mark(one: HTMLElement, node: Node): void {
  one.classList.toggle("branch", node.parent!.children.length > 1);
  if (node !== state.game.current) return one.removeAttribute("aria-current");
  one.setAttribute("aria-current", "true");
  list.scrollTop = one.offsetTop - list.clientHeight / 2;
}

function moveButton(node: Node): HTMLElement {
  const name = nameOf(node.move!);
  const mover = node.parent!.position.side;
  const pass = node.passes ? `, ${locale.texts.passes(sideName(opponent(mover)))}` : "";
  const one = h("button", { type: "button", class: "move", onclick: () => go(node), "aria-label": `${node.ply}. ${sideName(mover)} ${name}${pass}` });
  one.append(h("span", { class: `dot ${mover}` }), name, node.passes ? " –" : "");
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
