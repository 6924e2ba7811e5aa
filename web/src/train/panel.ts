// The trainer: puzzles, a streak, the puzzle of the day, what was missed, own mistakes, endgames, openings. It has a board of its
// own in the place of the game's, which waits meanwhile.

import { boardPicture } from "../../../src/analysis/page/board.js";
import { Board } from "../board";
import { button, h, scoreText, write } from "../elements";
import { save } from "../picture";
import { reader } from "../engines";
import { START, isSame, nameOf, positionOf } from "../rules";
import { locale, redraw, say } from "../state";
import { recall, remember } from "../storage";
import type { Panel } from "../views/panels";
import { playView } from "../views/play";
import { start } from "./lesson";
import { type Lesson, answerCount, choose, chooseForLessons, chosen, lesson, listenTo, showAnswer } from "./task";
import { type Mode, exported, imported } from "./progress";
import { words } from "./texts";

const board = new Board(locale.texts, { choose: (square) => void (lesson()?.isDone ? next() : choose(square)), key }, "");
const question = h("p", { class: "question" });
const verdict = h("p", { class: "verdict" });
const reasons = h("ul", { class: "plain reasons" });
const pictures = h("div", { class: "pair" });
const bar = h("div", { class: "bar" });
const count = h("form", { class: "bar", onsubmit: (event: Event) => (event.preventDefault(), answerCount(counted.valueAsNumber)) });
const counted = h("input", { type: "number", min: -64, max: 64, step: 1, required: true });
const trainView = h("div", { class: "left training" }, h("div", { class: "sides" }, question), board.element, h("div", { class: "below" }, verdict, count, bar));

const modes = h("div", { class: "modes", role: "group" });
const rating = h("select", { onchange: () => take({ rating: Number(rating.value) }) });
const empties = h("select", { onchange: () => take({ empties: Number(empties.value) }) });
const defence = h("select", { onchange: () => take({ isExact: defence.value === "exact" }) });
const options = h("div", { class: "inline" });
const own = h("textarea", { rows: 3, onchange: () => void takeLines() });
const ownView = h("label", {}, h("span", { class: "faint" }), own);
const level = h("select", { onchange: () => remember("puzzleLevel", level.value) });
const stats = h("div", { class: "stats" });
const note = h("p", { class: "faint", role: "status" });
const levels = h("label", { class: "inline" }, h("span"), level);
const reasonView = h("section", { class: "card" }, reasons, pictures);
const panelView = h("section", { class: "card" }, modes, levels, options, ownView, stats, note);
const fileView = h("section", { class: "card files" });

const MODES: Mode[] = ["puzzle", "streak", "daily", "again", "mistakes", "endgame", "opening"];
let isReported = false;
let askedKey: string | undefined;
let onward: HTMLButtonElement;
let answer: HTMLButtonElement;

function key(name: string): boolean {
  if (name.toLowerCase() !== "n" || !lesson()?.isDone) return false;
  next();
  return true;
}

function next(): void {
  void start(lesson()?.mode ?? "puzzle", Number(level.value));
  board.focus();
}

/** Another way to play: the next lesson begins with it. */
function take(change: Partial<typeof chosen>): void {
  chooseForLessons(change);
  next();
}

/** Own lines of openings, in whatever form games are read. */
async function takeLines(): Promise<void> {
  const text = own.value.trim();
  const found = text ? await reader.games(new TextEncoder().encode(text)) : { games: [], errors: [] };
  if (!found) return;
  const lines = found.games.filter(({ start, moves }) => isSame(positionOf(start) ?? START, START) && moves.length > 2);
  const wrong = found.errors[0] ?? (lines.length < found.games.length ? words().notFromStart : undefined);
  write(note, wrong ?? "");
  if (!wrong) take({ own: lines.map(({ moves }) => moves) });
}

const RATINGS = [900, 1200, 1500, 1800];
const EMPTIES = [8, 10, 12, 14, 16, 18, 20];

function makeOptions(): void {
  const texts = words();
  const fill = (select: HTMLSelectElement, all: [string, string][], value: string) => {
    select.replaceChildren(...all.map(([one, text]) => h("option", { value: one }, text)));
    select.value = value;
  };
  fill(rating, RATINGS.map((one) => [String(one), texts.peopleOf(one)]), String(chosen.rating));
  fill(empties, EMPTIES.map((one) => [String(one), texts.emptySquares(one)]), String(chosen.empties));
  fill(defence, [["exact", texts.exactDefence], ["people", texts.people]], chosen.isExact ? "exact" : "people");
  rating.setAttribute("aria-label", texts.people);
  empties.setAttribute("aria-label", texts.emptySquaresLabel);
  defence.setAttribute("aria-label", texts.against);
  ownView.firstChild!.textContent = texts.ownLines;
  own.value = chosen.own.join("\n");
  options.replaceChildren(empties, h("span", {}, texts.against), defence, rating);
}

/** The file of progress comes in. */
async function takeFile(file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    note.textContent = words().imported(await imported(await file.text()));
    await start(lesson()?.mode ?? "puzzle", Number(level.value));
  } catch {
    note.textContent = words().notProgress;
  }
}

function make(): void {
  const texts = words();
  if (!trainView.isConnected) playView.after(trainView);
  modes.setAttribute("aria-label", locale.texts.tabs.train);
  modes.replaceChildren(...MODES.map((mode) => button(texts.modes[mode], () => void start(mode, Number(level.value)), { "data-mode": mode })));
  level.replaceChildren(...Object.entries(texts.levels).map(([value, text]) => h("option", { value }, text)));
  level.value = recall<string>("puzzleLevel") ?? "0";
  level.previousElementSibling!.textContent = texts.level;
  onward = button(texts.next, next, { class: "primary" });
  answer = button(texts.show, showAnswer);
  bar.replaceChildren(onward, answer);
  makeOptions();
  counted.setAttribute("aria-label", texts.yourScore);
  count.replaceChildren(h("label", { class: "inline" }, texts.yourScore, counted), h("button", { type: "submit", class: "primary" }, texts.answer));
  const file = h("input", { type: "file", class: "hidden", tabindex: -1, "aria-label": texts.importAll, onchange: () => void takeFile(file.files?.[0]).then(() => (file.value = "")) });
  const out = async () => save("emilia-progress.json", new Blob([await exported()], { type: "application/json" }));
  fileView.replaceChildren(h("div", { class: "buttons" }, button(texts.exportAll, () => void out()), button(texts.importAll, () => file.click()), file), h("p", { class: "faint" }, texts.ratingHelp));
  board.setTexts(locale.texts, locale.texts.tabs.train);
  listenTo(redraw);
  if (!lesson()) void start("puzzle", Number(level.value));
}

function render(): void {
  const texts = words();
  const now = lesson();
  for (const one of modes.children) (one as HTMLElement).setAttribute("aria-pressed", String((one as HTMLElement).dataset["mode"] === now?.mode));
  if (!now) {
    write(question, texts.loading);
    return;
  }
  const { position, last, progress, isDone, isBusy, mode } = now;
  levels.hidden = mode === "opening" || mode === "endgame" || mode === "mistakes";
  options.hidden = mode !== "opening" && mode !== "endgame";
  ownView.hidden = mode !== "opening";
  empties.hidden = defence.hidden = mode !== "endgame";
  rating.hidden = mode === "endgame" && chosen.isExact;
  board.show({ position, last, hint: now.shown, isOpen: !isDone && !isBusy && now.kind !== "count", values: new Map() });
  write(question, now.question);
  write(verdict, isBusy ? texts.thinking : now.verdict);
  verdict.className = `verdict ${now.isGood === undefined ? "" : now.isGood ? "good" : "bad"}`;
  count.hidden = now.kind !== "count" || isDone;
  onward.hidden = !isDone;
  answer.hidden = isDone;
  answer.disabled = isBusy;
  stats.replaceChildren(
    h("strong", {}, texts.rating(Math.round(progress.rating), Math.round(progress.deviation))),
    h("span", { class: "faint" }, [texts.counts(progress.solved, progress.missed), texts.streakIs(progress.streak, progress.longest), progress.days > 0 && texts.days(progress.days)].filter(Boolean).join(" · ")),
  );
  reasons.replaceChildren(...now.reasons.map((reason) => h("li", {}, reason)));
  pictures.replaceChildren(...compared(now));
  reasonView.hidden = !now.reasons.length && !now.boards;
  if (now.key && now.key !== askedKey) {
    askedKey = now.key;
    // On a phone the buttons stand below the board: the question is seen again.
    if (question.getBoundingClientRect().top < 0) question.scrollIntoView({ block: "start" });
  }
  if (isDone !== isReported && isDone) say([now.verdict, ...now.reasons].join(" "));
  isReported = isDone;
}

/** Both lines' boards side by side: the own move and its answer, the better move and its answer. */
function compared({ boards }: Lesson): HTMLElement[] {
  const texts = words();
  return (boards ?? []).map(({ position, move, isBest, score, side }) => {
    const label = `${isBest ? texts.better(nameOf(move)) : texts.yours(nameOf(move))} ${scoreText(score)}`;
    return h("figure", {}, boardPicture(position.cells, label, [{ square: nameOf(move), kind: isBest ? "best" : side }]), h("figcaption", {}, label));
  });
}

export const panel: Panel = { elements: [reasonView, panelView, fileView], make, render };
