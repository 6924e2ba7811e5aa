// Puzzles and own mistakes: the solver proves the answers.

import { scoreText } from "../elements";
import { type Square, nameOf, played, positionOf, squareOf } from "../rules";
import { sideName } from "../state";
import { endgame } from "./endgame";
import { opening } from "./openings";
import { type Mistake, type Mode, type Progress, dayOf, due } from "./progress";
import { type Puzzle, after, lineText, readPuzzles, seenThrough } from "./puzzles";
import { type Given, NEAR, base, changed, give, note, progressNow, proven, refute, working } from "./task";
import { loaded } from "../engines";
import { words } from "./texts";

const puzzles = async (): Promise<Puzzle[]> => (all ??= readPuzzles(await loaded.puzzles()));
let all: Puzzle[] | undefined;

export const start = (mode: Mode, offset: number): Promise<void> => give(async () => {
  const progress = await progressNow();
  if (mode === "opening") return opening(progress);
  if (mode === "endgame") return endgame(progress);
  return begin(mode, await puzzles(), progress, offset);
});

function begin(mode: Mode, list: Puzzle[], progress: Progress, offset: number): Given {
  const byKey = new Map(list.map((puzzle) => [puzzle.key, puzzle]));
  const time = Date.now();
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

/** The rating of a streak's first puzzle, and how much harder each next one is. */
const [STREAK_FROM, STREAK_STEP] = [600, 40];
/** Of so many puzzles nearest to a rating one is drawn. */
const NEAREST = 12;

/** A puzzle near a rating that was not met before, as long as there is one. */
function nearest(list: Puzzle[], { seen }: Progress, rating: number): Puzzle {
  const fresh = list.filter(({ key }) => !seen.has(key));
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

function nothing(mode: Mode, verdict: string, progress: Progress): Given {
  return { ...base(mode, "", verdict, { cells: "-".repeat(64), side: "X" }, progress), isDone: true, choose() {}, show() {} };
}

function puzzle(mode: Mode, chosen: Puzzle, progress: Progress): Given {
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
  const one: Given = {
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
  if (kind === "count") {
    one.count = (typed) => {
      const isRight = typed === score;
      one.isGood = isRight;
      one.verdict = isRight ? texts.right : `${texts.yourScore}: ${scoreText(score)}`;
      end(isRight);
      changed();
    };
  }
  return one;
}

function mistake(one: Mistake, progress: Progress): Given {
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
  const lesson: Given = {
    ...base("mistakes", one.key, texts.findBetter(sideName(position.side), one.played), position, progress),
    choose: (square) => (lesson.isDone || lesson.isBusy || !played(position, square) ? undefined : compare(square)),
    show() {
      lesson.shown = best;
      void compare(wrong);
    },
  };
  return lesson;
}

