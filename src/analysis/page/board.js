// The board as a picture, of SVG.

import { svg } from "./dom.js";

/** What is drawn on a square: a ring for a move of a side, a dashed one for the best move, a dot on the last disc.
 * @typedef {{ square: string, kind: "X" | "O" | "best" | "last" }} Mark */
/** @typedef {{ board: string, grid: string, letters: string, X: string, O: string, best: string, last: string }} Colors */

/** @type {Colors} */
const COLORS = { board: "var(--board)", grid: "var(--grid)", letters: "var(--faint)", X: "var(--black)", O: "var(--white)", best: "var(--best)", last: "var(--mark)" };

/**
 * The square's centre; a square is 10 wide.
 * @param {number} index
 */
function middle(index) {
  return [(index % 8) * 10 + 5, Math.floor(index / 8) * 10 + 5];
}

/**
 * @param {Mark} mark
 * @param {Colors} colors
 */
function drawn({ square, kind }, colors) {
  const [cx, cy] = middle(square.charCodeAt(0) - 97 + 8 * (square.charCodeAt(1) - 49));
  if (kind === "last") return svg("circle", { cx, cy, r: 0.9, fill: colors.last });
  return svg("circle", { cx, cy, r: 3.6, fill: "none", stroke: colors[kind], "stroke-width": 1.1, "stroke-dasharray": kind === "best" ? "2 1" : "none" });
}

/**
 * A position of 64 cells with marks on squares; a `pass` is not drawn.
 * @param {string} cells
 * @param {string} label
 * @param {Mark[]} marks
 * @param {Colors} [colors]
 */
export function boardPicture(cells, label, marks, colors = COLORS) {
  const view = svg("svg", { viewBox: "-4 -4 88 88", class: "picture", role: "img", "aria-label": label });
  view.append(svg("rect", { x: 0, y: 0, width: 80, height: 80, fill: colors.board, stroke: colors.grid }));
  for (let i = 1; i < 8; i++) {
    view.append(svg("path", { d: `M${i * 10} 0V80M0 ${i * 10}H80`, stroke: colors.grid, "stroke-width": 0.5 }));
  }
  for (const [x, y] of [[20, 20], [60, 20], [20, 60], [60, 60]]) view.append(svg("circle", { cx: x, cy: y, r: 0.8, fill: colors.grid }));
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ letter) =>
    view.append(svg("text", { x, y, "font-size": 3, "text-anchor": "middle", fill: colors.letters }, letter));
  for (let i = 0; i < 8; i++) {
    text(i * 10 + 5, -1, "abcdefgh".charAt(i));
    text(-2, i * 10 + 6, String(i + 1));
  }
  [...cells].forEach((cell, index) => {
    if (cell !== "X" && cell !== "O") return;
    const [cx, cy] = middle(index);
    view.append(svg("circle", { cx, cy, r: 4.2, fill: colors[cell] }));
  });
  view.append(...marks.filter(({ square }) => square !== "pass").map((mark) => drawn(mark, colors)));
  return view;
}
