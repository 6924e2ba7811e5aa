// The board, both sides, whose turn it is, and the buttons below.

import { Board, type CellValue } from "../board";
import { clockText } from "../clock";
import { choose, giveHint, go, moveNow, pass, playOn, resultText, takeBack } from "../commands/play";
import { button, h, scoreText, set, svg, write } from "../elements";
import { player, study } from "../engines";
import type { Node } from "../game";
import { type Color, type Square, count, opponent, squareOf } from "../rules";
import { type Known, isEnd, isHuman, isLookingBack, locale, position, scores, settings, sideName, state } from "../state";
import { boundText } from "../words";

/** What keys on the board do beside moving about on it; `false`: nothing. */
let keyed: (key: string) => boolean = () => false;
export const keysWith = (all: (key: string) => boolean): void => void (keyed = all);

const board = new Board(locale.texts, { choose, key: (name) => keyed(name) }, locale.texts.board);
const sides = { X: h("div", { class: "side" }), O: h("div", { class: "side" }) };
/** How far a side is ahead, if that is known: white from the right. */
const ahead = h("div", { class: "ahead", role: "img" }, h("span"));
const status = h("p", { class: "status" });
const opening = h("p", { class: "opening" });
const bar = h("div", { class: "bar" });

export const playView = h("div", { class: "left" }, h("div", { class: "sides" }, sides.X, sides.O), board.element, h("div", { class: "below" }, ahead, status, opening, bar));

export const focusBoard = (): void => board.focus();

/** The name of the opening, once the list of them is loaded. */
let openingOf: (path: Node[], language: string) => string | undefined = () => undefined;
export const nameOpeningsWith = (find: typeof openingOf): void => void (openingOf = find);

type Icon = "first" | "previous" | "next" | "last";
let buttons: Record<Icon | "back" | "hint" | "on" | "pass" | "now" | "live", HTMLButtonElement>;

/** Makes what has texts. */
export function makePlay(): void {
  const { texts } = locale;
  board.setTexts(texts, texts.board);
  board.element.querySelector(".grid")!.setAttribute("aria-description", texts.boardHelp);
  const icon = (path: string, label: string, act: () => void) => {
    const made = button("", act, { class: "icon", "aria-label": label, title: label });
    made.append(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path })));
    return made;
  };
  buttons = {
    first: icon("M3 3h2v10H3zM13 3v10L6 8z", texts.first, () => go(state.game.root)),
    previous: icon("M11 3v10L4 8z", texts.previous, () => go(state.game.current.parent)),
    next: icon("M5 3v10l7-5z", texts.next, () => go(state.game.current.children[0])),
    last: icon("M3 3v10l7-5zM11 3h2v10h-2z", texts.last, () => go(state.game.line().at(-1))),
    pass: button(texts.pass, pass, { class: "primary" }),
    live: button(texts.backToGame, () => go(state.live), { class: "primary" }),
    now: button(texts.moveNow, moveNow),
    back: button(texts.takeBack, takeBack),
    hint: button(texts.hint, () => void giveHint()),
    on: button(texts.playOn, playOn),
  };
  const { first, previous, next, last, ...others } = buttons;
  bar.replaceChildren(h("div", { class: "steps" }, first, previous, next, last), ...Object.values(others));
}

export function renderPlay(): void {
  const { current } = state.game;
  set(document.documentElement, "data-colours", settings.colours);
  board.element.classList.toggle("bare", !settings.showsLegal);
  board.show({
    position: position(),
    last: current.move,
    hint: state.hint?.node === current ? state.hint.move : undefined,
    isOpen: !isEnd() && !state.isThinking && !state.waits,
    isFlipped: settings.isFlipped,
    values: valuesNow(),
  });
  renderSides();
  renderAhead(scores.get(current));
  write(status, statusText());
  write(opening, (state.game.startsUsually && openingOf(state.game.path(), locale.language)) || "\u00a0");
  renderBar();
}

export function renderSides(): void {
  renderSide("X");
  renderSide("O");
}

/** What is shown on squares: values of moves, what a solve has proven of them, and the hint's score. */
function valuesNow(): Map<Square, CellValue> {
  const found = new Map<Square, CellValue>();
  const { solve, showsValues, game, hint } = state;
  if (hint?.node === game.current && hint.score) found.set(hint.move, { text: hint.score, isBest: true, isProven: false });
  const infos = showsValues ? [...study.values] : [];
  const best = Math.max(...infos.map(([, { score }]) => score));
  for (const [at, { score, exact }] of infos) {
    found.set(at, { text: scoreText(score) + (exact ? "=" : ""), isBest: score === best, isProven: exact });
    if (score === best) scores.set(game.current, { black: position().side === "X" ? score : -score, exact });
  }
  if (solve?.node !== game.current || !solve.found || solve.found.goal === "wld") return found;
  for (const candidate of solve.found.candidates) {
    const text = boundText(candidate);
    const square = squareOf(candidate.line[0]!);
    const isExact = candidate.lower === candidate.upper;
    if (text && square !== undefined) found.set(square, { text, isBest: candidate === solve.found.best, isProven: isExact });
  }
  return found;
}

/** What the sides show. */
const drawn: Partial<Record<Color, string>> = {};

function renderSide(side: Color): void {
  const { X, O } = count(position());
  const { texts } = locale;
  const strength = settings.seconds ? texts.best(settings.seconds) : settings.rating ? texts.ratingOf(settings.rating) : texts.level(settings.level);
  const player = isHuman(side) ? texts.you : `Emilia, ${strength}`;
  const name = state.game.names[side === "X" ? "black" : "white"] || (state.isPlaying ? player : "");
  const isTurn = !isEnd() && position().side === side;
  const key = [locale.language, sideName(side), name, isTurn, clockText(side), X, O].join();
  if (drawn[side] === key) return;
  drawn[side] = key;
  sides[side].className = `side ${isTurn ? "turn" : ""}`;
  sides[side].replaceChildren(h("span", { class: `dot ${side}` }), h("span", { class: "name", title: name }, sideName(side), name && h("small", {}, ` ${name}`)),
    h("span", { class: "clock" }, clockText(side)), h("span", { class: "count" }, String(side === "X" ? X : O)));
}

/** Discs that fill half of the bar. */
const WIDEST = 32;

function renderAhead(known: Known | undefined): void {
  ahead.classList.toggle("known", known !== undefined);
  if (!known) return set(ahead, "aria-label", locale.texts.scoreUnknown);
  const share = 0.5 + Math.max(-WIDEST, Math.min(WIDEST, known.black)) / (2 * WIDEST);
  (ahead.firstChild as HTMLElement).style.setProperty("--black-share", String(share));
  set(ahead, "aria-label", locale.texts.scoreForBlack(scoreText(known.black)));
}

function statusText(): string {
  if (isEnd()) return resultText();
  const { texts } = locale;
  const { side } = position();
  if (state.waits) return texts.youPass;
  const turn = isLookingBack() ? texts.lookingBack(state.game.current.ply) : state.isThinking ? texts[player.isLoading ? "loading" : "thinks"](sideName(side)) : texts.toMove(sideName(side));
  const words = [turn];
  if (state.hint?.node === state.game.current) words.push(texts.hintIs(nameOfHint(), state.hint.score));
  if (state.game.current.passes) words.unshift(texts.passes(sideName(opponent(side))));
  return words.join(" · ");
}

const nameOfHint = (): string => "abcdefgh"[state.hint!.move % 8]! + (1 + (state.hint!.move >> 3));

function renderBar(): void {
  const { parent, children } = state.game.current;
  buttons.first.disabled = buttons.previous.disabled = buttons.back.disabled = !parent;
  buttons.next.disabled = buttons.last.disabled = !children.length;
  buttons.pass.hidden = !state.waits;
  buttons.live.hidden = !isLookingBack();
  buttons.now.hidden = !state.isThinking;
  buttons.hint.hidden = state.isThinking || state.waits !== undefined;
  buttons.back.hidden = isLookingBack();
  buttons.hint.disabled = isEnd();
  buttons.on.hidden = state.isPlaying || settings.human === "both" || isEnd();
}
