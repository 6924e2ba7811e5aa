// What the opening book and people know of the moves of the position that is shown.

import { choose } from "../commands/play";
import { toggleKnown } from "../commands/study";
import { button, h, scoreText, set, write } from "../elements";
import { guide } from "../engines";
import type { KnownMove } from "../engine";
import type { Node } from "../game";
import { nameOfPosition, prepareOpenings } from "../openings";
import { played, squareOf } from "../rules";
import { fault, isEnd, later, locale, settings, state } from "../state";

export const knownView = h("section", { class: "card" });
let toggle: HTMLButtonElement;
const words = h("p", { class: "faint" });
const place = h("div", { class: "list" });

/** What was asked of a position, and for which players. */
const asked = new WeakMap<Node, { rating: number; moves?: KnownMove[] }>();
let drawn: unknown;

export function makeKnown(): void {
  const { texts } = locale;
  toggle = button(texts.known, toggleKnown);
  knownView.replaceChildren(h("h2", {}, texts.known), h("div", { class: "buttons" }, toggle), words, place);
  drawn = undefined;
}

/** An average tournament player. */
const AVERAGE = 1500;

export function renderKnown(): void {
  const { texts } = locale;
  const { current } = state.game;
  const rating = settings.asRating ?? AVERAGE;
  set(toggle, "aria-pressed", String(settings.showsKnown === true));
  write(toggle, settings.showsKnown ? texts.hide : texts.showKnown);
  write(words, settings.showsKnown ? texts.knownHelp(rating) : texts.knownOffer);
  const isShown = settings.showsKnown && !isEnd();
  const found = isShown ? asked.get(current) : undefined;
  if (isShown && found?.rating !== rating) void ask(current, rating);
  if (drawn === (found?.moves ?? isShown)) return;
  drawn = found?.moves ?? isShown;
  place.replaceChildren(found?.moves ? table(current, found.moves) : "");
}

async function ask(node: Node, rating: number): Promise<void> {
  asked.set(node, { rating });
  try {
    const [moves] = await Promise.all([guide.look(node.position, rating), prepareOpenings()]);
    if (moves) asked.set(node, { rating, moves });
  } catch (error) {
    // Whoever asks again has it loaded again.
    settings.showsKnown = false;
    asked.delete(node);
    fault(error);
  }
  later();
}

/** The moves, the book's best first, and those that people play before those that nobody does. */
function table(node: Node, moves: KnownMove[]): HTMLElement {
  const { texts, language } = locale;
  const worst = -100;
  const sorted = [...moves].sort((a, b) => (b.score ?? worst) - (a.score ?? worst) || b.share - a.share);
  const nameOf = ({ move }: KnownMove) => nameOfPosition(played(node.position, squareOf(move)!)!, language) ?? "";
  const bookText = ({ score, exact }: KnownMove) => (score === null ? "" : scoreText(score) + (exact ? "=" : ""));
  const all: ((one: KnownMove) => string)[] = [bookText, ({ share }) => `${Math.round(100 * share)}%`, ({ games }) => (games ? String(games) : ""), nameOf];
  // What nothing is known of has no column.
  const columns = all.map((text, i) => ({ text, title: texts.knownColumns[i + 1] })).filter(({ text }) => moves.some((one) => text(one)));
  const head = [texts.knownColumns[0], ...columns.map(({ title }) => title)].map((title) => h("th", { scope: "col" }, title));
  const rows = sorted.map((one) => h("tr", {}, h("td", {}, button(one.move, () => choose(squareOf(one.move)!), { class: "link" })), ...columns.map(({ text }) => h("td", {}, text(one)))));
  return h("table", { class: "known" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}
