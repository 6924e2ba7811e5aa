// Questions to the person: a new game, a position, which of many games.

import { Board } from "./board";
import { button, h } from "./elements";
import type { FoundGame } from "./engine";
import { type Color, type Position, START } from "./rules";
import type { Texts } from "./texts";

export interface NewGame {
  human: Color | "both" | "none";
  /** 1..22; used where there are no seconds. */
  level: number;
  /** For each move at full strength; 0: the level. */
  seconds: number;
  /** For the whole game; 0: no clock. */
  minutes: number;
  /** Plays as people of this rating do, instead of the level; 0: the level. */
  rating: number;
}

const LEVELS = 22;

/** Shows a dialog with `content`; what `close` was called with, `undefined` if it was left. */
export function ask<T>(label: string, make: (close: (value?: T) => void) => (HTMLElement | string)[]): Promise<T | undefined> {
  return new Promise((resolve) => {
    let chosen: T | undefined;
    const dialog = h("dialog", { "aria-label": label });
    const close = (value?: T) => {
      chosen = value;
      dialog.close();
    };
    dialog.append(h("h2", {}, label), ...make(close));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
    // The focus is on a button, which may stand below a long text.
    dialog.scrollTop = 0;
  });
}

function select(label: string, options: [string, string][], chosen: string): [HTMLElement, HTMLSelectElement] {
  const element = h("select", {}, ...options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return [h("label", { class: "field" }, h("span", {}, label), element), element];
}

/** Which game is to begin; `isFromHere`: with the moves that are there, which is offered if `isMoved`. */
export function askNewGame(texts: Texts, now: NewGame, isMoved: boolean): Promise<(NewGame & { isFromHere: boolean }) | undefined> {
  return ask(texts.newGame, (close) => {
    const levels = Array.from({ length: LEVELS }, (_, i): [string, string] => [`l${i + 1}`, texts.levelWords(i + 1)]);
    const best = [1, 3, 10].map((seconds): [string, string] => [`s${seconds}`, texts.best(seconds)]);
    const [humanField, human] = select(texts.youPlay, [["X", texts.black], ["O", texts.white], ["both", texts.both], ["none", texts.none]], now.human);
    const [strengthField, strength] = select(texts.strength, [...levels, ["r", texts.byRating], ...best], now.seconds ? `s${now.seconds}` : now.rating ? "r" : `l${now.level}`);
    const rating = h("input", { type: "number", min: 1, max: 3000, step: 1, value: now.rating || 1200 });
    const ratingWords = h("small", { class: "faint" });
    const ratingField = h("label", { class: "field" }, h("span", {}, texts.rating), h("span", {}, rating, " ", ratingWords));
    const describe = () => {
      ratingField.hidden = strength.value !== "r";
      ratingWords.textContent = texts.ratingWords(rating.valueAsNumber || 1);
    };
    rating.addEventListener("input", describe);
    strength.addEventListener("change", describe);
    describe();
    const [clockField, clock] = select(texts.clock, [["0", texts.noClock], ...[1, 5, 10, 25].map((n): [string, string] => [String(n), texts.minutes(n)])], String(now.minutes));
    const [fromField, from] = select(texts.from, [["start", texts.startPosition], ["here", texts.positionShown]], "start");
    fromField.hidden = !isMoved;
    const start = () => {
      const number = Number(strength.value.slice(1));
      const isLevel = strength.value.startsWith("l");
      const isRating = strength.value === "r";
      const elo = Math.round(Math.max(1, Math.min(3000, rating.valueAsNumber || 1200)));
      close({
        human: human.value as NewGame["human"], level: isLevel ? number : now.level, seconds: isLevel || isRating ? 0 : number,
        minutes: Number(clock.value), rating: isRating ? elo : 0, isFromHere: from.value === "here",
      });
    };
    return [humanField, strengthField, ratingField, clockField, fromField, h("div", { class: "buttons end" }, button(texts.cancel, () => close()), button(texts.start, start, { class: "primary" }))];
  });
}

export function askSetUp(texts: Texts, now: Position): Promise<Position | undefined> {
  return ask(texts.setUp, (close) => {
    let { cells } = now;
    const [turnField, turn] = select(texts.turn, [["X", texts.black], ["O", texts.white]], now.side);
    const next: Record<string, string> = { "-": "X", X: "O", O: "-" };
    const choose = (square: number) => set(cells.slice(0, square) + next[cells[square]!] + cells.slice(square + 1));
    const board = new Board(texts, { choose, key: () => false }, texts.setUp);
    const set = (changed: string) => {
      cells = changed;
      board.show({ position: { cells, side: turn.value as Color }, last: undefined, hint: undefined, isOpen: false, values: new Map() });
    };
    set(cells);
    const use = () => close({ cells, side: turn.value as Color });
    const buttons = [button(texts.clear, () => set("-".repeat(64))), button(texts.startPosition, () => set(START.cells)), button(texts.cancel, () => close()), button(texts.use, use, { class: "primary" })];
    return [h("p", { class: "faint" }, texts.setUpHelp), board.element, turnField, h("div", { class: "buttons end" }, ...buttons)];
  });
}

/** Who moves on a board that does not say it. */
export function askSide(texts: Texts): Promise<Color | undefined> {
  return ask(texts.turn, (close) => [h("div", { class: "buttons" }, button(texts.black, () => close("X")), button(texts.white, () => close("O")))]);
}

/** Games that a dialog lists. */
const MOST_LISTED = 200;

/** One game of many; `all`: they are to be kept. */
export function chooseGame(texts: Texts, games: FoundGame[]): Promise<FoundGame | "all" | undefined> {
  return ask(texts.choose(games.length), (close) => {
    const items = games.slice(0, MOST_LISTED).map((game) => {
      const players = [game.black, game.white].filter(Boolean).join(" – ") || game.place;
      const facts = [game.date, game.event, game.result].filter(Boolean).join(" · ");
      return h("li", {}, button(players, () => close(game), { class: "link" }), h("small", { class: "faint" }, ` ${facts}`));
    });
    return [h("ul", { class: "plain list" }, ...items), h("div", { class: "buttons end" }, button(texts.keepAll, () => close("all")), button(texts.cancel, () => close()))];
  });
}
