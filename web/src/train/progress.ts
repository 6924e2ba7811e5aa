// What the person has solved and missed: a log to which is only added, kept in the browser's database. All else is made of
// it anew: the rating, the streaks, what is due again. A file of it goes out and comes in; coming in only adds.

import glicko from "glicko2-lite";
import { createStore, entries, setMany } from "idb-keyval";
import { type Card, Rating, createEmptyCard, fsrs } from "ts-fsrs";

export type Mode = "puzzle" | "streak" | "daily" | "again" | "mistakes" | "endgame" | "opening";

/** One answer, the first to what was asked. */
export interface Answer {
  at: number;
  mode: Mode;
  /** The puzzle, mistake or position. */
  key: string;
  isRight: boolean;
  /** Of the puzzle, if it has one. */
  rating?: number;
  /** Discs that were lost, in an endgame. */
  lost?: number;
  /** The moves to the position, in an opening. */
  line?: string;
}

/** A move of an own game that lost something. */
export interface Mistake {
  at: number;
  key: string;
  /** 64 cells and the side to move. */
  position: string;
  played: string;
  best: string;
  loss: number;
}

type Entry = { answer: Answer } | { mistake: Mistake };

/** What the log says. */
export interface Progress {
  rating: number;
  deviation: number;
  solved: number;
  missed: number;
  /** Puzzles solved one after the other in the streak that runs, and in the longest. */
  streak: number;
  longest: number;
  /** Days in a row with a daily puzzle, up to today or yesterday. */
  days: number;
  seen: Set<string>;
  cards: Map<string, Card>;
  /** The moves to positions of openings. */
  lines: Map<string, string>;
  mistakes: Map<string, Mistake>;
}

const store = createStore("emilia-trainer", "log");

/** A puzzle's rating is known so well. */
const PUZZLE_DEVIATION = 60;
const FIRST = { rating: 1200, rd: 350, vol: 0.06 };
/** The change of a volatility, as Glickman proposes. */
const TAU = 0.5;

const scheduler = fsrs({ enable_fuzz: false });
export const dayOf = (time: number): string => new Date(time - 60_000 * new Date(time).getTimezoneOffset()).toISOString().slice(0, 10);

/** What a log says at the time `now`. */
export function replay(log: readonly Entry[], now: number): Progress {
  const progress: Progress = { rating: FIRST.rating, deviation: FIRST.rd, solved: 0, missed: 0, streak: 0, longest: 0, days: 0, seen: new Set(), cards: new Map(), lines: new Map(), mistakes: new Map() };
  let { vol } = FIRST;
  const days = new Set<string>();
  const timeOf = (entry: Entry) => ("answer" in entry ? entry.answer : entry.mistake).at;
  for (const entry of [...log].sort((a, b) => timeOf(a) - timeOf(b))) {
    if ("mistake" in entry) {
      const { mistake } = entry;
      progress.mistakes.set(mistake.key, mistake);
      if (!progress.cards.has(mistake.key)) progress.cards.set(mistake.key, createEmptyCard(new Date(mistake.at)));
      continue;
    }
    const { at, mode, key, isRight, rating, line } = entry.answer;
    const isFirst = !progress.seen.has(key);
    progress.seen.add(key);
    if (line) progress.lines.set(key, line);
    if (isRight) progress.solved += 1;
    else progress.missed += 1;
    if (rating !== undefined && isFirst) {
      const found = glicko(progress.rating, progress.deviation, vol, [[rating, PUZZLE_DEVIATION, isRight ? 1 : 0]], { tau: TAU });
      progress.rating = found.rating;
      progress.deviation = found.rd;
      vol = found.vol;
    }
    if (mode === "streak") {
      progress.streak = isRight ? progress.streak + 1 : 0;
      progress.longest = Math.max(progress.longest, progress.streak);
    }
    if (mode === "daily") days.add(dayOf(at));
    // Only what was missed comes back: who repeats what he knows learns the puzzle and not the pattern.
    const card = progress.cards.get(key) ?? (isRight && mode !== "opening" ? undefined : createEmptyCard(new Date(at)));
    if (card) progress.cards.set(key, scheduler.next(card, new Date(at), isRight ? Rating.Good : Rating.Again).card);
  }
  const day = 86_400_000;
  let from = days.has(dayOf(now)) ? now : now - day;
  for (; days.has(dayOf(from)); from -= day) progress.days += 1;
  return progress;
}

/** What is due of `keys`, the longest due first. */
export function due({ cards }: Progress, isOne: (key: string) => boolean, now: number): string[] {
  const all = [...cards].filter(([key, card]) => isOne(key) && card.due.getTime() <= now);
  return all.sort(([, a], [, b]) => a.due.getTime() - b.due.getTime()).map(([key]) => key);
}

let log: Map<string, Entry> | undefined;

/** The log of this device; empty where nothing can be kept. */
export async function loadLog(): Promise<Entry[]> {
  const kept = async () => entries<string, Entry>(store);
  log ??= new Map(await kept().catch(() => []));
  return [...log.values()];
}

/** Adds to the log, and says what it is now. `isKept`: whether the browser has kept it. */
async function add(all: [string, Entry][]): Promise<boolean> {
  await loadLog();
  const fresh = all.filter(([id]) => !log!.has(id));
  for (const [id, entry] of fresh) log!.set(id, entry);
  // What is learnt over months is worth a question to the browser.
  void navigator.storage?.persist?.().catch(() => {});
  const keep = async () => setMany(fresh, store);
  return keep().then(() => true, () => false);
}

const idOf = (entry: Entry): string => ("answer" in entry ? `a${entry.answer.at}.${entry.answer.key}` : `m${entry.mistake.key}`);

export const addAnswer = (answer: Answer): Promise<boolean> => add([[idOf({ answer }), { answer }]]);
export const addMistakes = (mistakes: Mistake[]): Promise<boolean> => add(mistakes.map((mistake) => [idOf({ mistake }), { mistake }]));

const FORMAT = "emilia-progress-1";

export async function exported(): Promise<string> {
  return JSON.stringify({ format: FORMAT, log: await loadLog() });
}

/** Takes in a file of progress; how much of it is new. */
export async function imported(text: string): Promise<number> {
  const { format, log: entries } = JSON.parse(text) as { format: string; log: Entry[] };
  if (format !== FORMAT || !Array.isArray(entries) || !entries.every(isEntry)) throw new Error(FORMAT);
  const before = (await loadLog()).length;
  await add(entries.map((entry) => [idOf(entry), entry]));
  return (await loadLog()).length - before;
}

function isEntry(entry: Entry): boolean {
  const one = "answer" in entry ? entry.answer : entry.mistake;
  if (typeof one?.key !== "string" || typeof one.at !== "number") return false;
  return "answer" in entry ? typeof entry.answer.isRight === "boolean" : /^[-XO]{64} [XO]$/.test(entry.mistake.position);
}
