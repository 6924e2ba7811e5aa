// The games that are kept: the one that is shown with its names and notes, and all the others.

import { ask } from "../dialogs";
import { button, h } from "../elements";
import { type Game, type Node, ggfOf, readLink } from "../game";
import { type Kept, dropFromList, listed, noteInHistory } from "../kept";
import { openingOf, prepareOpenings } from "../openings";
import { save } from "../picture";
import { keepNow, restore, takeHold } from "../commands/keep";
import { shown } from "../commands/play";
import { later, locale, show, sideName, state } from "../state";

export const gamesView = h("section", { class: "card" });
let search: HTMLInputElement;
let inputs: { black: HTMLInputElement; white: HTMLInputElement; notes: HTMLTextAreaElement };
const list = h("ul", { class: "plain list kept" });

/** Games that are listed at most; the others are found by words. */
const MOST_LISTED = 100;

let games: Kept[] = [];
let drawn = "";

export function makeGames(): void {
  const { texts } = locale;
  const change = () => {
    state.game.names = { black: inputs.black.value, white: inputs.white.value };
    state.notes = inputs.notes.value;
    keepNow();
    drawn = "";
    later();
  };
  const input = (label: string) => h("input", { type: "text", placeholder: label, "aria-label": label, maxlength: 80, onchange: change });
  inputs = { black: input(texts.nameOf(texts.black)), white: input(texts.nameOf(texts.white)), notes: h("textarea", { rows: 2, placeholder: texts.notes, "aria-label": texts.notes, onchange: change }) };
  search = h("input", { type: "search", placeholder: texts.findGame, "aria-label": texts.findGame, oninput: draw });
  gamesView.replaceChildren(h("h2", {}, texts.tabs.games), h("div", { class: "names" }, inputs.black, inputs.white), inputs.notes, h("h3", {}, texts.pastGames), search, list,
    h("div", { class: "buttons" }, button(texts.exportGgf, () => exportAll("ggf")), button(texts.exportText, () => exportAll("txt"))));
  drawn = "";
}

export function renderGames(): void {
  const { game, id, notes } = state;
  const { black, white } = inputs;
  for (const [input, value] of [[black, game.names.black], [white, game.names.white], [inputs.notes, notes]] as const) {
    if (document.activeElement !== input) input.value = value;
  }
  const key = `${id} ${game.current.ply} ${locale.language} ${state.message ?? ""}`;
  if (key === drawn) return;
  drawn = key;
  void refresh();
}

async function refresh(): Promise<void> {
  games = await listed().catch(() => []);
  await prepareOpenings();
  draw();
}

/** Who played whom, as it was. */
function opponentOf({ link, by, plays }: Kept): string {
  const { texts } = locale;
  const names = new URLSearchParams(link);
  const [black, white] = [names.get("b"), names.get("w")];
  if (black || white) return [black || texts.black, white || texts.white].join(" – ");
  const strength = by.seconds ? texts.best(by.seconds) : by.rating ? texts.ratingOf(by.rating) : texts.level(by.level);
  if (by.human === "both" || !plays) return texts.ownBoard;
  return by.human === "none" ? `Emilia, ${strength}` : `${texts.you} (${sideName(by.human)}) – Emilia, ${strength}`;
}

function resultOf({ result, ended }: Kept): string {
  const { texts } = locale;
  if (ended) return texts[ended.by === "time" ? "onTime" : "resigned"](sideName(ended.side === "X" ? "O" : "X"));
  if (result === undefined) return "";
  const score = Number(result);
  return score ? texts.winsBy(sideName(score > 0 ? "X" : "O"), Math.abs(score)) : texts.draw;
}

function draw(): void {
  const { texts, language } = locale;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = games.map((kept) => {
    const read = readLink(kept.link);
    const opening = read && openingOf(read.game.line(), language);
    const date = new Date(kept.changed).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
    const facts = [date, texts.movesOf(kept.moves), resultOf(kept), opening, kept.notes].filter(Boolean).join(" · ");
    return { kept, title: opponentOf(kept), facts };
  });
  const found = rows.filter(({ title, facts }) => words.every((word) => `${title} ${facts}`.toLowerCase().includes(word)));
  list.replaceChildren(...found.slice(0, MOST_LISTED).map(({ kept, title, facts }) => {
    const isShown = kept.id === state.id;
    const open = button(title, () => void openKept(kept), { class: "link", "aria-current": isShown && "true" });
    return h("li", {}, h("div", {}, open, h("small", { class: "faint" }, facts)), button(texts.remove, () => void remove(kept), { class: "quiet", "aria-label": `${texts.remove}: ${title}, ${facts}`, disabled: isShown }));
  }), found.length ? "" : h("li", { class: "faint" }, texts.noGames));
}

async function openKept(kept: Kept): Promise<void> {
  if (kept.id === state.id) return;
  keepNow();
  if (!restore(kept)) return show(locale.texts.badLink);
  noteInHistory(kept, true);
  await takeHold();
  shown();
}

async function remove(kept: Kept): Promise<void> {
  const { texts } = locale;
  const isSure = await ask<boolean>(texts.removeSure, (close) => [
    h("p", {}, opponentOf(kept)), h("div", { class: "buttons end" }, button(texts.cancel, () => close()), button(texts.remove, () => close(true), { class: "primary" })),
  ]);
  if (!isSure) return;
  await dropFromList(kept.id).catch(() => {});
  drawn = "";
  later();
}

/** One game a line: GGF, or moves. */
function exportAll(kind: "ggf" | "txt"): void {
  const lines = games.map((kept) => {
    const read = readLink(kept.link);
    if (!read) return "";
    return kind === "ggf" || !read.game.startsUsually ? ggfOf(read.game, kept.ended) : read.game.transcript(mainLine(read.game));
  });
  save(`emilia-games.${kind}`, new Blob([lines.filter(Boolean).join("\n") + "\n"], { type: "text/plain" }));
}

function mainLine(game: Game): Node[] {
  game.current = game.root;
  return game.line();
}
