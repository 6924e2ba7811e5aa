// The analysis of a game: a graph from Black's view, a table, turning points.

import { h, svg } from "./dom";
import type { GameReport, MoveReport } from "./engine";
import type { Texts } from "./texts";

const WIDTH = 560;
const HEIGHT = 160;
const LEFT = 34;

const minus = (text: string) => text.replaceAll("-", "\u2212");
const blackScore = (move: MoveReport) => (move.side === "X" ? move.after : -move.after);
export const isBad = (move: MoveReport) => move.loss >= 4 || move.gift !== undefined;

/** What a move gave away, in the language of the page. */
function giftText(move: MoveReport, texts: Texts): string | undefined {
  const names: Record<string, string> = { win: texts.givesAwayWin, draw: texts.givesAwayDraw, win_for_draw: texts.winToDraw };
  return move.gift && (names[move.gift] ?? move.gift_text);
}

/** A point of the graph: the score for Black after so many moves. */
export interface Point {
  number: number;
  black: number;
  exact: boolean;
  bad: boolean;
}

export const pointsOf = ({ moves }: GameReport): Point[] =>
  moves.map((move) => ({ number: move.number, black: blackScore(move), exact: move.exact, bad: isBad(move) }));

export function graph(points: Point[], all: number, chosen: number, texts: Texts, choose: (number: number) => void): Element {
  const most = Math.max(0, ...points.map(({ black }) => Math.abs(black)));
  const reach = [8, 16, 24, 32, 48, 64].find((discs) => discs >= most) ?? 64;
  const step = (WIDTH - LEFT - 6) / Math.max(1, all);
  const x = (number: number) => LEFT + (number - 0.5) * step;
  const y = (score: number) => HEIGHT / 2 - (score / reach) * (HEIGHT / 2 - 8);
  const view = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 16}`, class: "graph", role: "img", "aria-label": texts.graphLabel });
  const text = (x: number, y: number, words: string, anchor = "start") => view.append(svg("text", { x, y, "text-anchor": anchor }, words));
  const exact = points.filter((point) => point.exact).map(({ number }) => number);
  if (exact.length) {
    const from = Math.min(...exact);
    view.append(svg("rect", { class: "exact", x: x(from) - step / 2, y: 0, width: (all - from + 1) * step, height: HEIGHT }));
  }
  for (const score of [reach, reach / 2, 0, -reach / 2, -reach]) {
    view.append(svg("line", { class: score ? "rule" : "rule zero", x1: LEFT, x2: WIDTH, y1: y(score), y2: y(score) }));
    text(LEFT - 5, y(score) + 4, (score > 0 ? "+" : "") + minus(String(score)), "end");
  }
  text(LEFT + 4, 18, texts.blackAhead);
  text(LEFT + 4, HEIGHT - 10, texts.whiteAhead);
  for (let number = 10; number <= all; number += 10) text(x(number), HEIGHT + 13, String(number), "middle");
  view.append(svg("line", { class: "cursor", x1: x(chosen), x2: x(chosen), y1: 0, y2: HEIGHT }));
  view.append(svg("polyline", { points: points.map((point) => `${x(point.number)},${y(point.black)}`).join(" ") }));
  for (const point of points) {
    view.append(svg("circle", { class: point.bad ? "bad" : "", cx: x(point.number), cy: y(point.black), r: point.bad ? 4.5 : 2 }));
  }
  view.addEventListener("click", (event) => {
    const box = view.getBoundingClientRect();
    const at = (((event as MouseEvent).clientX - box.left) * WIDTH) / box.width - LEFT;
    choose(Math.max(1, Math.min(all, Math.ceil(at / step))));
  });
  return view;
}

export function table({ moves }: GameReport, chosen: number, texts: Texts, choose: (number: number) => void): HTMLElement {
  const rows = moves.map((move) => {
    const loss = move.loss ? (move.exact ? String(move.loss) : move.loss.toFixed(1)) : "";
    const better = [move.best === move.played ? "" : move.line, giftText(move, texts)].filter(Boolean).join("; ");
    const link = h("button", { type: "button", class: "link", onclick: () => choose(move.number) }, h("span", { class: `dot ${move.side}` }), move.played);
    return h("tr", { "aria-current": move.number === chosen ? "true" : undefined },
      h("td", {}, String(move.number)), h("td", {}, link), h("td", {}, minus(move.before_text)), h("td", {}, minus(move.after_text)),
      h("td", { class: isBad(move) ? "bad" : "" }, loss), h("td", {}, better));
  });
  const head = h("tr", {}, ...texts.columns.map((name) => h("th", { scope: "col" }, name)));
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": texts.analysis }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
}

export function turningPoints({ moves }: GameReport, texts: Texts, choose: (number: number) => void): HTMLElement | undefined {
  const worst = moves.filter(isBad).sort((a, b) => b.loss - a.loss).slice(0, 6).sort((a, b) => a.number - b.number);
  if (!worst.length) return undefined;
  const items = worst.map((move) => {
    const words = `${move.number}. ${move.played} ${minus(move.after_text)}; ${texts.better(move.best)} ${minus(move.before_text)}`;
    return h("li", {}, h("button", { type: "button", class: "link", onclick: () => choose(move.number) }, h("span", { class: `dot ${move.side}` }), words));
  });
  return h("div", {}, h("h3", {}, texts.turningPoints), h("ul", { class: "plain" }, ...items));
}
