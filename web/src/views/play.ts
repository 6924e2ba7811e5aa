// The board, both sides, whose turn it is, and the buttons below.

import { Board, type CellValue } from "../board";
import { clockText } from "../clock";
import { analyse, toggleValues } from "../commands/study";
import { choose, giveHint, go, playOn, resultText, takeBack } from "../commands/play";
import { button, h, scoreText, svg } from "../elements";
import { study } from "../engines";
import { openingOf } from "../openings";
import { type Color, type Square, count, opponent, squareOf } from "../rules";
import { isEnd, isHuman, locale, position, settings, sideName, state } from "../state";
import { boundText } from "../words";

const board = new Board(locale.texts, { choose, key }, locale.texts.board);
const sides = { X: h("div", { class: "side" }), O: h("div", { class: "side" }) };
const status = h("p", { class: "status" });
const opening = h("p", { class: "opening" });
const bar = h("div", { class: "bar" });
/** For eyes only: the grid has it as its description. */
const keys = h("p", { class: "faint keys", "aria-hidden": "true" });

export const playView = h("div", { class: "left" }, h("div", { class: "sides" }, sides.X, sides.O), board.element, status, opening, bar, keys);

export const focusBoard = (): void => board.focus();

function key(name: string): boolean {
  if (name === "Backspace") takeBack();
  else if (name.toLowerCase() === "a") void analyse();
  else if (name.toLowerCase() === "v") toggleValues();
  else return false;
  return true;
}

type Icon = "first" | "previous" | "next" | "last";
let buttons: Record<Icon | "back" | "hint" | "on", HTMLButtonElement>;

/** Makes what has texts. */
export function makePlay(): void {
  const { texts } = locale;
  board.setTexts(texts, texts.board);
  board.element.querySelector(".grid")!.setAttribute("aria-description", texts.boardHelp);
  keys.textContent = texts.boardHelp;
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
    back: button(texts.takeBack, takeBack),
    hint: button(texts.hint, () => void giveHint()),
    on: button(texts.playOn, playOn),
  };
  const { first, previous, next, last, back, hint, on } = buttons;
  bar.replaceChildren(h("div", { class: "steps" }, first, previous, next, last), back, hint, on);
}

export function renderPlay(): void {
  const { current } = state.game;
  board.show({
    position: position(),
    last: current.move,
    hint: state.hint?.node === current ? state.hint.move : undefined,
    isOpen: !isEnd() && !state.isThinking,
    values: valuesNow(),
  });
  renderSides();
  status.textContent = statusText();
  opening.textContent = (state.game.startsUsually && openingOf(state.game.path(), locale.language)) || "\u00a0";
  renderBar();
}

export function renderSides(): void {
  renderSide("X");
  renderSide("O");
}

/** What is shown on squares: values of moves, and what a solve has proven of them. */
function valuesNow(): Map<Square, CellValue> {
  const found = new Map<Square, CellValue>();
  const { solve, showsValues, game } = state;
  const infos = showsValues ? [...study.values] : [];
  const best = Math.max(...infos.map(([, { score }]) => score));
  for (const [at, { score, exact }] of infos) {
    found.set(at, { text: scoreText(score, exact) + (exact ? "=" : ""), isBest: score === best, isProven: exact });
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

function renderSide(side: Color): void {
  const { X, O } = count(position());
  const { texts } = locale;
  const strength = settings.seconds ? texts.best(settings.seconds) : texts.level(settings.level);
  const player = isHuman(side) ? texts.you : `Emilia, ${strength}`;
  const name = state.game.names[side === "X" ? "black" : "white"] || (state.isPlaying ? player : "");
  const isTurn = !isEnd() && position().side === side;
  sides[side].className = `side ${isTurn ? "turn" : ""}`;
  sides[side].replaceChildren(h("span", { class: `dot ${side}` }), h("span", { class: "name" }, sideName(side), name && h("small", {}, ` ${name}`)),
    h("span", { class: "clock" }, clockText(side)), h("span", { class: "count" }, String(side === "X" ? X : O)));
}

function statusText(): string {
  if (isEnd()) return resultText();
  const { texts } = locale;
  const { side } = position();
  const words = [state.isThinking ? texts.thinks(sideName(side)) : texts.toMove(sideName(side))];
  if (state.game.current.passes) words.unshift(texts.passes(sideName(opponent(side))));
  return words.join(" · ");
}

function renderBar(): void {
  const { parent, children } = state.game.current;
  buttons.first.disabled = buttons.previous.disabled = buttons.back.disabled = !parent;
  buttons.next.disabled = buttons.last.disabled = !children.length;
  buttons.hint.disabled = isEnd() || state.isThinking;
  buttons.on.hidden = state.isPlaying || settings.human === "both" || isEnd();
}
