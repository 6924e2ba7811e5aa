// A lesson: what is asked now, and what every kind of it needs. The coach proves answers, and plays on against wrong ones.

import { scoreText } from "../elements";
import { Engine } from "../engine";
import { guide, loaded } from "../engines";
import { type Color, type Position, type Square, canonical, count, finalScore, isOver, legalMoves, nameOf, opponent, played, squareOf, withPass } from "../rules";
import { fault, sideName } from "../state";
import { recall, remember } from "../storage";
import { type Answer, type Mode, type Progress, addAnswer, loadLog, replay } from "./progress";
import { type Kind, lineText } from "./puzzles";
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
export interface Task {
  choose(square: Square): Promise<void> | void;
  show(): void;
  /** Takes a final score that was counted. */
  count?(typed: number): void;
  /** What happens before the first question. */
  open?(): Promise<void>;
}

export type Given = Lesson & Task;

let now: Given | undefined;
export let changed: () => void = () => {};
/** Lessons that were begun: an answer that comes too late is not for this one. */
let begun = 0;

export const lesson = (): Lesson | undefined => now;
export const listenTo = (to: () => void): void => void (changed = to);
export const choose = (square: Square): Promise<void> | void => now?.choose(square);
export const showAnswer = (): void => now?.show();
export const answerCount = (typed: number): void => {
  if (now && !now.isDone && !Number.isNaN(typed)) now.count?.(typed);
};

/** Proves and refutes. It has a worker of its own: a game may go on thinking. */
export const coach = new Engine(loaded, { hashMb: 64 });

/** What the person has chosen for lessons: the rating of people who play against them, how endgames are played, and the
 * transcripts of own lines, each of which ends with a move of the person. */
export const chosen = { rating: 1500, empties: 12, isExact: true, own: [] as string[], ...recall<object>("lessons") };
export function chooseForLessons(change: Partial<typeof chosen>): void {
  Object.assign(chosen, change);
  remember("lessons", chosen);
}

export const progressNow = async (): Promise<Progress> => replay(await loadLog(), Date.now());

/** Begins the lesson that `make` gives, unless another one is begun meanwhile. */
export async function give(make: () => Promise<Given>): Promise<void> {
  const mine = ++begun;
  coach.stop();
  try {
    const made = await make();
    if (mine !== begun) return;
    now = made;
    changed();
    await made.open?.();
  } catch (error) {
    fault(error);
  }
  changed();
}

export const base = (mode: Mode, key: string, question: string, position: Position, progress: Progress): Omit<Lesson, "kind"> => ({
  mode, key, question, position, verdict: "", reasons: [], isDone: false, isBusy: false, progress,
});

/** Notes the first answer, and what it makes of the rating. */
export async function note(one: Lesson, isRight: boolean, more: Partial<Answer> = {}): Promise<void> {
  const isKept = await addAnswer({ at: Date.now(), mode: one.mode, key: one.key, isRight, ...more });
  one.progress = await progressNow();
  if (!isKept) one.verdict += ` ${words().notKept}`;
  changed();
}

/** The proven score of a position for `side`, and the line; nothing if it was given up. */
export async function proven(position: Position, side: Color): Promise<{ score: number; line: (Square | undefined)[] } | undefined> {
  const own = (score: number, of: Color) => (of === side ? score : -score);
  if (isOver(position)) return { score: own(finalScore(position), "X"), line: [] };
  const turn = withPass(position);
  const moves = legalMoves(turn.position).map(nameOf);
  const few = count(position).empty <= PROVEN;
  if (few) {
    const found = await coach.prove({ position: turn.position, question: "exact", moves, hash_mb: 64 }, () => {});
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
const [PROVEN, DEPTH] = [20, 14];

/** Runs a search of the lesson; what it gives is dropped if another lesson has begun. */
export async function working<T>(one: Lesson, work: () => Promise<T | undefined>): Promise<T | undefined> {
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
export async function refute(one: Lesson, position: Position, best: Square, bestLine: (Square | undefined)[], bestScore: number, other: Square, known?: { score: number; line: (Square | undefined)[] }): Promise<void> {
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

/** A move that loses less is as good, in discs. */
export const NEAR = 2;

/** The moves of a position, each with the share of players of the chosen rating who make it, and what the book says. */
export async function movesOfPeople(position: Position): Promise<{ square: Square; share: number; score: number | null; goesOn: boolean }[]> {
  const moves = await guide.look(position, chosen.rating);
  return (moves ?? []).map(({ move, ...known }) => ({ square: squareOf(move)!, ...known }));
}

/** One of some moves, by their shares. */
export function drawn<T extends { share: number }>(moves: T[]): T | undefined {
  let at = Math.random() * moves.reduce((sum, { share }) => sum + share, 0);
  return moves.find(({ share }) => (at -= share) < 0) ?? moves[0];
}

/** The same for all images of a position. */
export const keyOf = (kind: string, position: Position): string => `${kind} ${canonical(position)}`;
