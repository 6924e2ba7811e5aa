// The analysis of the game, in the parts that the page of `emilia analyze` has.

import { type Texts as ReportTexts, type Move, type Part, type Point, boardBefore, graph, peopleReport, table, turningPoints, wordsOf } from "../../../src/analysis/page/report.js";
import { analyse, chooseEffort, chooseRating } from "../commands/study";
import { go } from "../commands/play";
import { button, h, write } from "../elements";
import { judge } from "../engines";
import { type Color, nameOf } from "../rules";
import { open } from "./panels";
import { type Effort, locale, scores, settings, state } from "../state";

export const analysisView = h("section", { class: "card" });
let start: HTMLButtonElement;
let effort: HTMLSelectElement;
let rating: HTMLInputElement;
const progress = h("p", { class: "faint" });
const place = h("div", { class: "report" });

/** The lowest and the highest rating, as `emilia analyze` takes them. */
const RATINGS = [1, 3000] as const;

export function makeAnalysis(): void {
  const { texts } = locale;
  start = button(texts.analyse, () => void analyse());
  const option = (value: Effort, text: string) => h("option", { value, selected: settings.effort === value }, text);
  effort = h("select", { "aria-label": texts.effort, onchange: () => chooseEffort(effort.value as Effort) }, option("full", texts.effortFull), option("quick", texts.effortQuick));
  rating = h("input", { type: "number", min: RATINGS[0], max: RATINGS[1], step: 1, value: settings.asRating, placeholder: texts.off, title: texts.asRatingHelp, onchange: takeRating });
  const people = h("label", { class: "inline" }, texts.asRating, rating);
  analysisView.replaceChildren(h("h2", {}, texts.analysis), h("div", { class: "buttons" }, start, effort, people), progress, place);
  drawn = undefined;
}

/** Takes the rating that was typed, or the nearest that there is. */
function takeRating(): void {
  const typed = rating.valueAsNumber;
  const elo = Number.isNaN(typed) ? undefined : Math.max(RATINGS[0], Math.min(RATINGS[1], Math.round(typed)));
  rating.value = elo === undefined ? "" : String(elo);
  chooseRating(elo);
}

/** What the report shows: it is made anew only when that changes. */
let drawn: string | undefined;
let marked: number | undefined;
let parts: Part[] = [];
let aboutMove = h("div");

export function renderAnalysis(): void {
  const { report } = state;
  const { texts } = locale;
  write(start, judge.isBusy ? texts.stop : texts.analyse);
  effort.disabled = rating.disabled = judge.isBusy;
  write(progress, report && judge.isBusy ? texts.analysing(report.points.length, report.line.length - 1) : "");
  const known = report ? [] : knownPoints();
  const key = report ? `${report.points.length} ${report.found !== undefined}` : known.length > 1 ? JSON.stringify(known) : undefined;
  const number = report ? report.line.indexOf(state.game.current) : state.game.current.ply;
  if (key !== drawn) draw(known);
  if (key !== drawn || number !== marked) mark(number);
  drawn = key;
  marked = number;
}

/** What is known of the line without an analysis, from values and solves: a graph that grows with the game. */
function knownPoints(): Point[] {
  return state.game.line().flatMap((node) => {
    const known = node.ply ? scores.get(node) : undefined;
    return known ? [{ number: node.ply, black: Math.round(known.black), exact: known.exact, bad: false, name: nameOf(node.move!) }] : [];
  });
}

function draw(known: Point[]): void {
  const { report } = state;
  place.replaceChildren();
  parts = [];
  const texts = reportTexts();
  if (!report && known.length > 1) {
    const line = state.game.line();
    parts.push(graph(known, line.length - 1, texts, (number) => go(line[number])));
    place.append(parts[0]!.element);
  }
  if (!report) return;
  const to = (number: number) => go(report.line[number]);
  parts.push(graph(report.points, report.line.length - 1, texts, to));
  const { found } = report;
  if (found) parts.push(table(found.moves, texts, to));
  const [picture, list] = parts;
  const turns = found && turningPoints(found.moves, texts, to);
  const people = found && peopleReport(found.moves, { X: found.black_strength, O: found.white_strength }, texts, to);
  aboutMove = h("div", { class: "about" });
  const own = found ? mistakes(found.moves) : [];
  const trains = own.length > 0 && button(locale.texts.trainMistakes(own.length), () => void train(own));
  place.append(picture!.element, aboutMove, trains || "", turns ?? "", people ?? "", list?.element ?? "");
}

/** Serious losses of the person, or of both sides where no side is a person's. */
function mistakes(moves: Move[]): Move[] {
  const sides: Color[] = state.live && settings.human !== "both" && settings.human !== "none" ? [settings.human] : ["X", "O"];
  return moves.filter(({ side, loss, gift, played, best }) => sides.includes(side) && played !== "pass" && played !== best && (loss >= SERIOUS || gift !== undefined));
}

/** Discs that a move loses for a puzzle to be made of it. */
const SERIOUS = 2;

/** Makes puzzles of the mistakes, and opens them. */
async function train(moves: Move[]): Promise<void> {
  const { addMistakes, start } = await import("../train");
  const at = Date.now();
  await addMistakes(moves.map(({ board, side, played, best, loss }) => ({ at, key: `mistake ${board} ${side}`, position: `${board} ${side}`, played, best, loss })));
  await start("mistakes", 0);
  open("train");
}

/** Marks the move that led to the position, and says what was better. */
function mark(number: number): void {
  for (const part of parts) part.mark(number, true);
  const move = state.report?.found?.moves.find((one) => one.number === number);
  if (!move) return aboutMove.replaceChildren();
  const texts = reportTexts();
  // The best move needs no other board.
  const board = move.best === move.played ? "" : boardBefore(move, texts);
  aboutMove.replaceChildren(board, wordsOf(move, texts));
}

function reportTexts(): ReportTexts {
  const { texts } = locale;
  return { ...texts, gifts: { win: texts.givesAwayWin, draw: texts.givesAwayDraw, win_for_draw: texts.winToDraw } };
}
