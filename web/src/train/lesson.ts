// What is asked now, and how the answers to it go: the solver proves them, and plays on against wrong ones.

import { scoreText } from "../elements";
import { Engine } from "../engine";
import { loaded } from "../engines";
import { type Color, type Position, type Square, count, finalScore, isOver, legalMoves, nameOf, opponent, played, positionOf, squareOf, withPass } from "../rules";
import { fault, locale, sideName } from "../state";
import { type Drill, drills } from "./openings";
import { type Mistake, type Mode, type Progress, addAnswer, dayOf, due, loadLog, replay } from "./progress";
import { type Kind, type Puzzle, after, lineText, mustPass, readPuzzles, seenThrough } from "./puzzles";
import { words } from "./texts";
import { facts } from "./words";

/** A board after a move and its answer, to stand beside another. */
export interface Side {
  position: Position;
  move: Square;
  side: Color;
  score: number;
  isBest: boolean;
}

export interface Lesson {
  mode: Mode;
  key: string;
  /** Of a puzzle. */
  kind?: Kind;
  question: string;
  position: Position;
  last?: Square | undefined;
  /** The square that the answer is on, when it is shown. */
  shown?: Square | undefined;
  verdict: string;
  isGood?: boolean | undefined;
  reasons: string[];
  boards?: Side[];
  isDone: boolean;
  isBusy: boolean;
  progress: Progress;
}

/** How a lesson takes a move. */
interface Task {
  choose(square: Square): Promise<void> | void;
  show(): void;
}

let now: (Lesson & Task) | undefined;
let changed: () => void = () => {};
/** Lessons that were begun: an answer that comes too late is not for this one. */
let begun = 0;

export const lesson = (): Lesson | undefined => now;
export const listenTo = (to: () => void): void => void (changed = to);

/** Proves and refutes. It has a worker of its own: a game may go on thinking. */
const coach = new Engine(loaded);

const puzzles = async (): Promise<Puzzle[]> => (all ??= readPuzzles(await loaded.puzzles()));
let all: Puzzle[] | undefined;

const progressNow = async (): Promise<Progress> => replay(await loadLog(), Date.now());

export async function start(mode: Mode, offset: number): Promise<void> {
  const mine = ++begun;
  coach.stop();
  try {
    const [list, progress] = await Promise.all([puzzles(), progressNow()]);
    if (mine !== begun) return;
    now = begin(mode, list, progress, offset);
  } catch (error) {
    fault(error);
  }
  changed();
}

function begin(mode: Mode, list: Puzzle[], progress: Progress, offset: number): Lesson & Task {
  const byKey = new Map(list.map((puzzle) => [puzzle.key, puzzle]));
  const time = Date.now();
  if (mode === "opening") return drill(drills(progress, time), progress);
  if (mode === "endgame") {
    const full = list.filter(({ kind, position }) => kind === "win" && count(position).empty >= FULLEST);
    return endgame(nearest(full, progress, progress.rating + offset, END), progress);
  }
  if (mode === "mistakes") {
    const [key] = due(progress, (one) => progress.mistakes.has(one), time);
    return key === undefined ? nothing(mode, progress.mistakes.size ? words().nothingDue : words().noMistakes, progress) : mistake(progress.mistakes.get(key)!, progress);
  }
  if (mode === "again") {
    const [key] = due(progress, (one) => byKey.has(one), time);
    return key === undefined ? nothing(mode, words().nothingDue, progress) : puzzle(mode, byKey.get(key)!, progress);
  }
  if (mode === "daily") return puzzle(mode, daily(list, dayOf(time)), progress);
  const aim = mode === "streak" ? STREAK_FROM + STREAK_STEP * progress.streak : progress.rating + offset;
  return puzzle(mode, nearest(list, progress, aim), progress);
}

/** What is a puzzle and an endgame is two things in the log. */
const END = "end.";
/** Empty squares of endgames that are played out, at least. */
const FULLEST = 8;
/** The rating of a streak's first puzzle, and how much harder each next one is. */
const [STREAK_FROM, STREAK_STEP] = [600, 40];
/** Of so many puzzles nearest to a rating one is drawn. */
const NEAREST = 12;

/** A puzzle near a rating that was not met before, as long as there is one. */
function nearest(list: Puzzle[], { seen }: Progress, rating: number, prefix = ""): Puzzle {
  const fresh = list.filter(({ key }) => !seen.has(prefix + key));
  const from = [...(fresh.length ? fresh : list)].sort((a, b) => Math.abs(a.rating - rating) - Math.abs(b.rating - rating));
  return from[Math.floor(Math.random() * Math.min(NEAREST, from.length))]!;
}

/** The same for everyone on a day: of the middle ratings, by a hash of the date. */
export function daily(list: Puzzle[], day: string): Puzzle {
  const fitting = list.filter(({ kind, rating }) => kind !== "count" && rating > 900 && rating < 1900);
  let hash = 2166136261;
  for (const letter of day) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return fitting[(hash >>> 0) % fitting.length]!;
}

const base = (mode: Mode, key: string, question: string, position: Position, progress: Progress): Omit<Lesson, "kind"> => ({
  mode, key, question, position, verdict: "", reasons: [], isDone: false, isBusy: false, progress,
});

function nothing(mode: Mode, verdict: string, progress: Progress): Lesson & Task {
  return { ...base(mode, "", verdict, { cells: "-".repeat(64), side: "X" }, progress), isDone: true, choose() {}, show() {} };
}

/** Notes the first answer, and what it makes of the rating. */
async function note(one: Lesson, isRight: boolean, more: { rating?: number; lost?: number } = {}): Promise<void> {
  const isKept = await addAnswer({ at: Date.now(), mode: one.mode, key: one.key, isRight, ...more });
  one.progress = await progressNow();
  if (!isKept) one.verdict += ` ${words().notKept}`;
  changed();
}

/** The proven score of a position for `side`, and the line; nothing if it was given up. */
async function proven(position: Position, side: Color): Promise<{ score: number; line: (Square | undefined)[] } | undefined> {
  const own = (score: number, of: Color) => (of === side ? score : -score);
  if (isOver(position)) return { score: own(finalScore(position), "X"), line: [] };
  const turn = withPass(position);
  const moves = legalMoves(turn.position).map(nameOf);
  const few = count(position).empty <= PROVEN;
  if (few) {
    const found = await coach.prove({ position: turn.position, question: "exact", moves, hash_mb: 16 }, () => {});
    if (!found) return undefined;
    const line = found.pv.map((name) => squareOf(name));
    return { score: own(found.lower, turn.position.side), line: turn.isPass ? [undefined, ...line] : line };
  }
  let found: { score: number; pv: string[] } | undefined;
  await coach.search(turn.position, `depth ${DEPTH}`, { report: (info) => (found = info) });
  if (!found) return undefined;
  return { score: own(found.score, turn.position.side), line: found.pv.map((name) => squareOf(name)) };
}

/** Positions of so many empties are solved, others searched to a depth. */
const [PROVEN, DEPTH] = [16, 14];

/** Runs a search of the lesson; what it gives is dropped if another lesson has begun. */
async function working<T>(one: Lesson, work: () => Promise<T | undefined>): Promise<T | undefined> {
  const mine = begun;
  one.isBusy = true;
  changed();
  try {
    const found = await work();
    return mine === begun ? found : undefined;
  } catch (error) {
    fault(error);
    return undefined;
  } finally {
    one.isBusy = false;
    changed();
  }
}

/** What is said when a move is wrong: what follows it, the reasons, both boards. */
async function refute(one: Lesson, position: Position, best: Square, bestLine: (Square | undefined)[], bestScore: number, other: Square, known?: { score: number; line: (Square | undefined)[] }): Promise<void> {
  const { side } = position;
  const found = known ?? (await working(one, () => proven(played(position, other)!, side)));
  const texts = words();
  one.isDone = true;
  one.isGood = false;
  one.shown = best;
  one.verdict = `${texts.wrong(nameOf(other))} ${texts.solution(lineText(bestLine), scoreText(bestScore))}`;
  if (found) {
    one.reasons = [texts.after(nameOf(other), scoreText(found.score), lineText(found.line.slice(0, 6)) || "–")];
    one.reasons.push(...facts({ position, best, other, line: found.line }).map((fact) => texts.fact(fact, sideName(opponent(side)))));
    const shownAfter = (move: Square, line: (Square | undefined)[]) => {
      const next = played(position, move)!;
      const reply = line[0];
      return reply === undefined ? next : (played(next, reply) ?? next);
    };
    one.boards = [
      { position: shownAfter(other, found.line), move: other, side, score: found.score, isBest: false },
      { position: shownAfter(best, bestLine.slice(1)), move: best, side, score: bestScore, isBest: true },
    ];
  }
  changed();
}

function puzzle(mode: Mode, chosen: Puzzle, progress: Progress): Lesson & Task {
  const seen = seenThrough(chosen, Math.floor(Math.random() * 8), Math.random() < 0.5 ? "X" : "O");
  const { position, kind, score, line, rating, themes } = seen;
  const texts = words();
  let step = 0;
  let isFailed = false;
  const end = (isRight: boolean): void => {
    one.isDone = true;
    if (!isFailed) void note(one, isRight, { rating });
    isFailed = true;
    const about = themes.map((theme) => texts.themes[theme]).join(", ");
    one.reasons.push(...(kind === "count" ? [] : [texts.found(rating)]), ...(about ? [about] : []));
    if (mode === "streak" && !isRight) one.reasons.unshift(texts.streakOver(Math.max(progress.longest, progress.streak)));
  };
  const one: Lesson & Task = {
    ...base(mode, chosen.key, texts.ask[kind](sideName(position.side)), position, progress), kind,
    async choose(square) {
      const best = line[step];
      if (one.isDone || one.isBusy || best === undefined || !played(one.position, square)) return;
      if (square === best) return right(best);
      const from = one.position;
      const found = await working(one, () => proven(played(from, square)!, from.side));
      if (one.isDone || one.position !== from) return;
      // A move that keeps the result is no miss where only discs are asked for.
      if (found && kind === "best" && Math.sign(found.score) === Math.sign(score) && found.score < score) {
        one.verdict = texts.fewer(nameOf(square), score - found.score);
        one.isGood = undefined;
        return changed();
      }
      await refute(one, from, best, line.slice(step), score, square, found);
      end(false);
      changed();
    },
    show() {
      one.shown = line[step];
      one.verdict = kind === "count" ? `${texts.yourScore}: ${scoreText(score)}` : texts.solution(lineText(line.slice(step)), scoreText(score));
      one.isGood = false;
      end(false);
      changed();
    },
  };
  /** The solver's move; then the answer, and the next question, or the end. */
  function right(best: Square): void {
    one.position = after(one.position, best);
    one.last = best;
    one.isGood = true;
    step += 1;
    if (step >= line.length) {
      one.verdict = `${texts.right} ${texts.solution(lineText(line), scoreText(score))}`;
      end(true);
      return changed();
    }
    one.verdict = texts.goesOn;
    const reply = line[step];
    one.position = after(one.position, reply);
    one.last = reply ?? one.last;
    step += 1;
    changed();
  }
  counting = kind === "count" ? (typed) => {
    const isRight = typed === score;
    one.isGood = isRight;
    one.verdict = isRight ? texts.right : `${texts.yourScore}: ${scoreText(score)}`;
    end(isRight);
    changed();
  } : undefined;
  return one;
}

let counting: ((typed: number) => void) | undefined;

export function answerCount(typed: number): void {
  if (now && !now.isDone && !Number.isNaN(typed)) counting?.(typed);
}

export const choose = (square: Square): Promise<void> | void => now?.choose(square);
export const showAnswer = (): void => now?.show();

/** A move that loses less is as good, in discs. */
const NEAR = 2;

function mistake(one: Mistake, progress: Progress): Lesson & Task {
  const position = positionOf(one.position)!;
  const [best, wrong] = [squareOf(one.best)!, squareOf(one.played)!];
  const texts = words();
  const value = async (square: Square) => proven(played(position, square)!, position.side);
  let isNoted = false;
  const end = (isRight: boolean): void => {
    if (!isNoted) void note(lesson, isRight);
    isNoted = true;
  };
  const compare = async (square: Square): Promise<void> => {
    const found = await working(lesson, async () => {
      const good = await value(best);
      const other = square === best ? good : await value(square);
      return good && other && { good, other };
    });
    if (!found) return;
    const { good, other } = found;
    lesson.isGood = square === best || good.score - other.score < NEAR;
    if (!lesson.isGood) await refute(lesson, position, best, [best, ...good.line], good.score, square, other);
    else {
      lesson.isDone = true;
      const old = await working(lesson, () => value(wrong));
      if (old) await refute(lesson, position, best, [best, ...good.line], good.score, wrong, old);
      lesson.isGood = true;
      lesson.verdict = `${texts.right} ${texts.solution(lineText([best, ...good.line].slice(0, 8)), scoreText(good.score))}`;
    }
    end(lesson.isGood);
    changed();
  };
  const lesson: Lesson & Task = {
    ...base("mistakes", one.key, texts.findBetter(sideName(position.side), one.played), position, progress),
    choose: (square) => (lesson.isDone || lesson.isBusy || !played(position, square) ? undefined : compare(square)),
    show() {
      lesson.shown = best;
      void compare(wrong);
    },
  };
  return lesson;
}

/** A won position is played out; each move of the person may lose discs, the answers do not. */
function endgame(chosen: Puzzle, progress: Progress): Lesson & Task {
  const { position, score } = seenThrough(chosen, Math.floor(Math.random() * 8), Math.random() < 0.5 ? "X" : "O");
  const { side } = position;
  const texts = words();
  let stands = score;
  let lost = 0;
  const end = (): void => {
    one.isDone = true;
    one.isGood = lost === 0;
    one.verdict = texts.ended(lost);
    void note(one, stands > 0, { lost });
  };
  const one: Lesson & Task = {
    ...base("endgame", END + chosen.key, texts.playOut(sideName(side), scoreText(score)), position, progress),
    async choose(square) {
      if (one.isDone || one.isBusy || one.position.side !== side) return;
      const next = played(one.position, square);
      if (!next) return;
      one.position = next;
      one.last = square;
      const found = await working(one, () => proven(next, side));
      if (!found) return;
      const gone = stands - found.score;
      lost += gone;
      stands = found.score;
      one.isGood = gone === 0;
      one.verdict = gone ? texts.now(scoreText(stands), gone) : texts.still(scoreText(stands));
      // Its answers, until it is the person's turn again.
      for (const move of found.line) {
        if (!isOver(one.position) && one.position.side === side && !mustPass(one.position)) break;
        if (mustPass(one.position)) one.position = after(one.position, undefined);
        else if (move !== undefined && one.position.side !== side && played(one.position, move)) {
          one.position = after(one.position, move);
          one.last = move;
        }
      }
      if (mustPass(one.position)) one.position = after(one.position, undefined);
      if (isOver(one.position)) end();
      changed();
    },
    show() {
      void working(one, () => proven(one.position, side)).then((found) => {
        one.shown = found?.line[0];
        one.verdict = texts.solution(lineText(found?.line ?? []), scoreText(found?.score ?? stands));
        changed();
      });
    },
  };
  return one;
}

/** A position of an opening, whose move is to be known by heart. */
function drill({ key, name, position, moves }: Drill, progress: Progress): Lesson & Task {
  const texts = words();
  let isNoted = false;
  const end = (isRight: boolean): void => {
    one.isDone = true;
    one.isGood = isRight;
    one.shown = moves[0];
    one.verdict = `${isRight ? texts.right : ""} ${moves.map(nameOf).join(", ")}`.trim();
    if (!isNoted) void note(one, isRight);
    isNoted = true;
    changed();
  };
  const one: Lesson & Task = {
    ...base("opening", key, texts.openingAsk(sideName(position.side), name[locale.language === "ja" ? "ja" : "en"]), position, progress),
    async choose(square) {
      if (one.isDone || one.isBusy || !played(position, square)) return;
      if (moves.includes(square)) {
        one.position = after(position, square);
        one.last = square;
        return end(true);
      }
      const values = await working(one, async () => {
        const [taught, tried] = [await proven(played(position, moves[0]!)!, position.side), await proven(played(position, square)!, position.side)];
        return taught && tried && { taught, tried };
      });
      if (values && values.taught.score - values.tried.score < NEAR) {
        one.verdict = texts.alsoGood(nameOf(square));
        return changed();
      }
      end(false);
    },
    show: () => end(false),
  };
  return one;
}

