// The analysis of a game: a graph from Black's view, a table, turning points, the board before a move.

import { boardPicture } from "./board.js";
import { h, minus, svg } from "./dom.js";

/** A move as the JSON of `emilia analyze` has it; scores are discs for the player.
 * @typedef {{ number: number, side: "X" | "O", board: string, played: string, before: number, after: number,
 *   before_text: string, after_text: string, loss: number, exact: boolean, best: string, line: string,
 *   gift?: string, gift_text?: string, share?: number, hard?: number, shares?: Record<string, number>,
 *   remark?: string, remark_text?: string }} Move
 * `share` and what follows are there where players of a rating were asked for. */
/** How strong a side looks, where a rating was stated for it.
 * @typedef {{ rating: number, moves: number, likelihood: number[], estimate?: number, error?: number }} Strength */
/** A point of the graph: the score for Black after so many moves.
 * @typedef {{ number: number, black: number, exact: boolean, bad: boolean, name: string }} Point */
/** What the parts say, in the language of the page.
 * @typedef {{ black: string, white: string, graphLabel: string, blackAhead: string, whiteAhead: string, exact: string,
 *   analysis: string, columns: string[], turningPoints: string, bestMove: string,
 *   boardBefore: (number: number) => string, better: (move: string) => string, gifts: Record<string, string>,
 *   people?: PeopleTexts }} Texts */
/** What a remark speaks of: what the move loses, how many players of which rating, and whether the move does not go wrong.
 * @typedef {{ discs: string, percent: number, rating: number, isFound: boolean }} Remark */
/** What is said of players of a rating. Without `remarks`, by their kinds, they stand as the report has them.
 * @typedef {{ title: (ratings: string) => string, share: string, finds: (percent: number) => string,
 *   errs: (percent: number) => string, strength: (side: string, strength: Strength) => string,
 *   remarks?: Record<string, (remark: Remark) => string> }} PeopleTexts */
/** @typedef {{ X?: Strength | undefined, O?: Strength | undefined }} Strengths */
/** A part of the report; `mark` shows which move is chosen.
 * @typedef {{ element: Element, mark: (number: number, scrolls?: boolean) => void }} Part */
/** @typedef {(number: number) => void} Choose */

const HEIGHT = 160;
const FOOT = 16;
const LEFT = 36;
/** The width of a graph on a desk, and on a phone, where its text would be too small otherwise. */
const [WIDE, NARROW] = [600, 350];
/** Turning points that are shown. */
const MOST_TURNS = 6;
/** A move that loses so many discs goes wrong. */
const WRONG = 2;

/**
 * Did the move lose four discs or more, or give away a win or a draw?
 * @param {Move} move
 */
export function isBad(move) {
  return move.loss >= 4 || move.gift !== undefined;
}

/**
 * @param {Move[]} moves
 * @returns {Point[]}
 */
export function pointsOf(moves) {
  return moves.map((move) => ({
    number: move.number,
    black: move.side === "X" ? move.after : -move.after,
    exact: move.exact,
    bad: isBad(move),
    name: move.played,
  }));
}

/**
 * The scores of a game of `all` moves; points may be missing while it is analysed.
 * @param {Point[]} points
 * @param {number} all
 * @param {Texts} texts
 * @param {Choose} choose
 * @returns {Part}
 */
export function graph(points, all, texts, choose) {
  const width = matchMedia("(max-width: 36rem)").matches ? NARROW : WIDE;
  // The axis reaches as far as the game went, on each side.
  const fit = (/** @type {number} */ most) => [8, 16, 24, 32, 48, 64].find((discs) => discs >= most) ?? 64;
  const high = fit(Math.max(0, ...points.map(({ black }) => black)));
  const low = -fit(Math.max(0, ...points.map(({ black }) => -black)));
  const step = (width - LEFT - 6) / Math.max(1, all);
  const x = (/** @type {number} */ number) => LEFT + (number - 0.5) * step;
  const y = (/** @type {number} */ score) => 8 + ((high - score) / (high - low)) * (HEIGHT - 16);
  const view = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT + FOOT}`, class: "graph", role: "img", "aria-label": texts.graphLabel });
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "start") =>
    view.append(svg("text", { x, y, "text-anchor": anchor }, words));
  const from = points.find(({ exact }) => exact)?.number;
  if (from !== undefined) {
    view.append(svg("rect", { class: "exact", x: x(from) - step / 2, y: 0, width: (all - from + 1) * step, height: HEIGHT }));
    text(width - 10, HEIGHT - 10, texts.exact, "end");
  }
  const far = Math.max(high, -low);
  for (const score of new Set([high, high === far ? high / 2 : 0, 0, -low === far ? low / 2 : 0, low])) {
    view.append(svg("line", { class: score ? "rule" : "rule zero", x1: LEFT, x2: width, y1: y(score), y2: y(score) }));
    text(LEFT - 5, y(score) + 4, (score > 0 ? "+" : "") + minus(String(score)), "end");
  }
  text(LEFT + 4, 18, texts.blackAhead);
  text(LEFT + 4, HEIGHT - 10, texts.whiteAhead);
  for (let number = 10; number <= all; number += 10) text(x(number), HEIGHT + 13, String(number), "middle");
  const cursor = svg("line", { class: "cursor", y1: 0, y2: HEIGHT });
  view.append(cursor, svg("polyline", { points: points.map((point) => `${x(point.number)},${y(point.black)}`).join(" ") }));
  for (const { number, black, bad, name } of points) {
    view.append(svg("circle", { class: bad ? "bad" : "", cx: x(number), cy: y(black), r: bad ? 4.5 : 2 }, svg("title", {}, `${number}. ${name}`)));
  }
  view.addEventListener("click", (event) => {
    const box = view.getBoundingClientRect();
    const at = ((/** @type {MouseEvent} */ (event).clientX - box.left) * width) / box.width - LEFT;
    choose(Math.max(1, Math.min(all, Math.ceil(at / step))));
  });
  const mark = (/** @type {number} */ number) => {
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, String(x(number)));
  };
  return { element: view, mark };
}

/**
 * @param {Move} move
 * @param {Texts} texts
 */
function dot({ side }, texts) {
  return h("span", { class: `dot ${side}`, title: side === "X" ? texts.black : texts.white });
}

/**
 * What a move gave away.
 * @param {Move} move
 * @param {Texts} texts
 */
function giftText({ gift, gift_text }, texts) {
  return gift && (texts.gifts[gift] ?? gift_text);
}

/**
 * What the move loses, in whole discs.
 * @param {Move} move
 */
function lossText({ loss }) {
  return String(Math.round(loss));
}

/**
 * A score in whole discs: an estimate knows no tenths.
 * @param {string} text
 */
function discs(text) {
  return minus(/^[+-][\d.]+$/.test(text) ? text.charAt(0) + Math.round(Number(text.slice(1))) : text);
}

const percentOf = (/** @type {number} */ share) => Math.round(100 * share);

/**
 * All moves with their scores, and the shares of players who play them, where these were asked for. A click chooses one.
 * @param {Move[]} moves
 * @param {Texts} texts
 * @param {Choose} choose
 * @returns {Part}
 */
export function table(moves, texts, choose) {
  const people = moves.some(({ share }) => share !== undefined) ? texts.people : undefined;
  const rows = moves.map((move) => {
    const loss = move.loss ? lossText(move) : "";
    const share = people && h("td", {}, move.share === undefined ? "" : `${percentOf(move.share)}%`);
    const better = [move.best === move.played ? "" : move.line, giftText(move, texts)].filter(Boolean).join("; ");
    const name = h("button", { type: "button", class: "link" }, dot(move, texts), move.played);
    return h("tr", { onclick: () => choose(move.number) },
      h("td", {}, String(move.number)), h("td", {}, name), h("td", {}, discs(move.before_text)), h("td", {}, discs(move.after_text)),
      h("td", { class: isBad(move) ? "bad" : "" }, loss), share, h("td", {}, better));
  });
  const columns = people ? [...texts.columns.slice(0, -1), people.share, ...texts.columns.slice(-1)] : texts.columns;
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)));
  const list = h("div", { class: "table", tabindex: 0, role: "region", "aria-label": texts.analysis },
    h("table", { class: people && "people" }, h("thead", {}, head), h("tbody", {}, ...rows)));
  const mark = (/** @type {number} */ number, scrolls = false) => {
    for (const row of rows) row.removeAttribute("aria-current");
    const row = rows.find((_, i) => moves[i]?.number === number);
    row?.setAttribute("aria-current", "true");
    if (!row || !scrolls) return;
    const isSeen = row.offsetTop >= list.scrollTop + row.offsetHeight && row.offsetTop + row.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!isSeen) list.scrollTop = row.offsetTop - list.clientHeight / 2;
  };
  return { element: list, mark };
}

/**
 * The board before a move: what was played, and what was better.
 * @param {Move} move
 * @param {Texts} texts
 */
export function boardBefore(move, texts) {
  /** @type {import("./board.js").Mark[]} */
  const marks = [{ square: move.played, kind: move.side }];
  if (move.best !== move.played) marks.unshift({ square: move.best, kind: "best" });
  return boardPicture(move.board, texts.boardBefore(move.number), marks);
}

/**
 * What there is to say about a move.
 * @param {Move} move
 * @param {Texts} texts
 */
export function wordsOf(move, texts) {
  const better = move.best === move.played ? texts.bestMove : `${texts.better(move.best)} ${discs(move.before_text)} (${move.line})`;
  const words = [`${move.played} ${discs(move.after_text)}`, better, giftText(move, texts), ...peopleWords(move, texts)].filter(Boolean).join("; ");
  return h("p", {}, `${move.number}. `, dot(move, texts), words);
}

/**
 * How many players of the rating play the move, and how many go wrong in its position.
 * @param {Move} move
 * @param {Texts} texts
 */
function peopleWords({ share, hard }, { people }) {
  if (!people || share === undefined) return [];
  return [people.finds(percentOf(share)), hard !== undefined && people.errs(percentOf(hard))];
}

/**
 * The remark on a move, if there is one.
 * @param {Move} move
 * @param {Move | undefined} next
 * @param {Strengths} strengths
 * @param {PeopleTexts} people
 */
function remarkText(move, next, strengths, { remarks }) {
  const text = move.remark && remarks?.[move.remark];
  // After a move that sets a problem, it is the other side that goes wrong.
  const { side, share = 0, hard = 0 } = (move.remark === "problem" && next) || move;
  const rating = strengths[side]?.rating;
  if (!text || rating === undefined) return move.remark_text;
  const percent = percentOf(move.remark === "common" ? share : hard);
  return text({ discs: lossText(move), percent, rating, isFound: move.loss < WRONG });
}

/**
 * What players of the stated ratings find, and how strong the sides look; nothing where no rating was stated.
 * @param {Move[]} moves
 * @param {Strengths} strengths
 * @param {Texts} texts
 * @param {Choose} choose
 */
export function peopleReport(moves, strengths, texts, choose) {
  const { people } = texts;
  if (!people || !(strengths.X || strengths.O)) return undefined;
  const remarks = moves.map((move, i) => {
    const text = remarkText(move, moves[i + 1], strengths, people);
    const name = h("button", { type: "button", class: "link", onclick: () => choose(move.number) }, `${move.number}. `, dot(move, texts), move.played);
    return text ? h("li", {}, name, ` ${text}`) : undefined;
  });
  const { X, O } = strengths;
  const ratings = [...new Set([X, O].map((side) => side?.rating).filter(Boolean))].join(", ");
  const lines = [X && people.strength(texts.black, X), O && people.strength(texts.white, O)].map((line) => line && h("p", {}, line));
  return h("div", {}, h("h3", {}, people.title(ratings)), remarks.some(Boolean) && h("ul", { class: "remarks" }, ...remarks), ...lines);
}

/**
 * The moves that lost most, in the order of the game.
 * @param {Move[]} moves
 */
export function worstOf(moves) {
  const worst = moves.filter(isBad).sort((a, b) => b.loss - a.loss).slice(0, MOST_TURNS);
  return worst.sort((a, b) => a.number - b.number);
}

/**
 * The same moves as questions: the board before each, and what was better when it is asked for.
 * @param {Move[]} moves
 * @param {Texts} texts
 * @param {(played: string) => string} ask
 */
export function findBetter(moves, texts, ask) {
  const tasks = worstOf(moves).filter(({ best, played }) => best !== played).map((move) => h("li", {},
    boardPicture(move.board, texts.boardBefore(move.number), [{ square: move.played, kind: move.side }]),
    h("details", {}, h("summary", {}, `${move.number}. `, dot(move, texts), ask(move.played)), wordsOf(move, texts))));
  return tasks.length ? h("ul", { class: "turns" }, ...tasks) : undefined;
}

/**
 * Where the game turned, with small boards; nothing if it never did.
 * @param {Move[]} moves
 * @param {Texts} texts
 * @param {Choose} choose
 */
export function turningPoints(moves, texts, choose) {
  const turns = worstOf(moves).map((move) => {
    const words = h("span", {}, `${move.number}. `, dot(move, texts), `${move.played} ${discs(move.after_text)}; ${texts.better(move.best)} ${discs(move.before_text)}`);
    return h("li", {}, h("button", { type: "button", onclick: () => choose(move.number) }, boardBefore(move, texts), words));
  });
  return turns.length ? h("div", {}, h("h3", {}, texts.turningPoints), h("ul", { class: "turns" }, ...turns)) : undefined;
}
