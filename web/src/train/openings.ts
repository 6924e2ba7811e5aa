// Openings by heart, from the book: each position once, however it is reached. What is due comes first, then the person's own
// lines, then those that hold what can be held, and then what people of a rating play.

import { scoreText } from "../elements";
import { guide } from "../engines";
import { gameOf } from "../game";
import { openingOf, prepareOpenings } from "../openings";
import { type Color, START, type Square, nameOf, played, squareOf } from "../rules";
import { locale, sideName } from "../state";
import { type Progress, due } from "./progress";
import { type Given, NEAR, base, changed, chosen, drawn, keyOf, movesOfPeople, note, proven, refute, working } from "./task";
import { words } from "./texts";

/** All first moves are alike. */
const FIRST = "f5";
/** Discs that a move of the other side may lose in a line by heart, and how many lines there are at most. */
const [SLACK, MOST_LINES] = [1, 60];
/** Positions of one lesson that are asked for. */
const MOST_ASKED = 8;

/** Lines of the book, and the person's own. */
type Source = "book" | "own";

/** A line to follow, as long as it is followed: who learns it, and from which ply on moves are asked for. In an own line
 * nothing else is right. */
interface Plan {
  side: Color;
  moves: string;
  from: number;
  source: Source;
}

const linesOf: Partial<Record<`${Color}${number}`, Promise<string[] | undefined>>> = {};

/** Lines by heart of a side, from the start. */
async function lines(side: Color): Promise<string[]> {
  const { rating } = chosen;
  const { game } = gameOf(START, FIRST);
  const ask = () => guide.lines(game.current.position, { rating, learns: side === game.current.position.side, slack: SLACK, most: MOST_LINES });
  const found = await (linesOf[`${side}${rating}`] ??= ask());
  return (found ?? []).map((line) => FIRST + line);
}

/** The ply at which the side first meets a position that fits. */
function firstPly(moves: string, side: Color, source: Source, fits: (key: string) => boolean): number | undefined {
  const found = gameOf(START, moves).game.line().find(({ position, ply, children }) => ply > 0 && children.length && position.side === side && fits(keyOf(source, position)));
  return found?.ply;
}

/** Who makes the last move of a line. */
const lastMover = (moves: string): Color => gameOf(START, moves).game.current.parent!.position.side;

/** An own line that begins so, and goes on. */
const ownLine = (moves: string): string | undefined => chosen.own.find((one) => one.startsWith(moves) && one !== moves);

async function planned(progress: Progress): Promise<Plan> {
  const isNew = (key: string) => !progress.seen.has(key);
  const sourceOf = (key: string) => key.split(" ")[0] as Source;
  const goesOn = (key: string) => {
    const moves = progress.lines.get(key);
    return moves !== undefined && (sourceOf(key) === "book" || ownLine(moves) !== undefined);
  };
  const [key] = due(progress, goesOn, Date.now());
  if (key !== undefined) {
    const moves = progress.lines.get(key)!;
    const { position, ply } = gameOf(START, moves).game.current;
    const source = sourceOf(key);
    return { side: position.side, moves: source === "own" ? ownLine(moves)! : moves, from: ply, source };
  }
  for (const moves of chosen.own) {
    const side = lastMover(moves);
    const from = firstPly(moves, side, "own", isNew);
    if (from !== undefined) return { side, moves, from, source: "own" };
  }
  const sides: Color[] = Math.random() < 0.5 ? ["X", "O"] : ["O", "X"];
  for (const side of sides) {
    for (const moves of await lines(side)) {
      const from = firstPly(moves, side, "book", isNew);
      if (from !== undefined) return { side, moves, from, source: "book" };
    }
  }
  return { side: sides[0]!, moves: FIRST, from: 0, source: "book" };
}

export function opening(progress: Progress): Given {
  const texts = words();
  const { game } = gameOf(START, "");
  let plan: Plan = { side: "X", moves: FIRST, from: 0, source: "book" };
  let asked = 0;
  let isNoted = false;

  const play = (square: Square): void => {
    game.play(square);
    one.position = game.current.position;
    one.last = square;
  };
  /** What the plan plays here, as long as the game has followed it. */
  const next = (): Square | undefined => {
    const moves = game.transcript();
    return plan.moves.startsWith(moves) ? squareOf(plan.moves.slice(moves.length, moves.length + 2)) : undefined;
  };
  /** Plays on to the next question, or to the end of the book. */
  const goOn = async (): Promise<void> => {
    for (;;) {
      const { position, ply } = game.current;
      const inBook = plan.source === "own" ? [] : (await movesOfPeople(position)).filter(({ score }) => score !== null);
      const isAsked = position.side === plan.side && ply > 0 && ply >= plan.from;
      const isEnd = plan.source === "own" ? next() === undefined : !inBook.length;
      if (isEnd || (isAsked && asked >= MOST_ASKED)) return end();
      if (isAsked) break;
      const move = next() ?? drawn(inBook.filter(({ goesOn }) => goesOn))?.square;
      if (move === undefined) return end();
      play(move);
    }
    const name = openingOf(game.path(), locale.language) ?? texts.modes.opening;
    one.key = keyOf(plan.source, game.current.position);
    one.question = texts.openingAsk(sideName(plan.side), name);
    isNoted = false;
    asked += 1;
  };
  const end = (): void => {
    one.isDone = true;
    one.question = texts.bookEnds(sideName(plan.side), openingOf(game.path(), locale.language) ?? "");
  };
  const noted = async (isRight: boolean): Promise<void> => {
    if (!isNoted) await note(one, isRight, { line: game.transcript() });
    isNoted = true;
  };
  const known = async () => {
    const moves = (await movesOfPeople(game.current.position)).filter(({ score }) => score !== null);
    return moves.sort((a, b) => b.score! - a.score!);
  };
  const right = async (square: Square, verdict: string): Promise<void> => {
    one.isGood = true;
    one.verdict = verdict;
    await noted(true);
    play(square);
    await working(one, goOn);
    changed();
  };
  const one: Given = {
    ...base("opening", "", texts.opening, START, progress),
    async open() {
      await working(one, async () => {
        await prepareOpenings();
        plan = await planned(progress);
        await goOn();
      });
    },
    async choose(square) {
      const { position } = game.current;
      if (one.isDone || one.isBusy || !one.key || !played(position, square)) return;
      if (plan.source === "own") {
        if (square === next()) return right(square, texts.right);
        await noted(false);
        return wrong(square, next()!);
      }
      const found = await working(one, async () => {
        const moves = await known();
        const best = moves[0]!;
        const mine = moves.find((move) => move.square === square);
        if (mine) return { best, mine };
        const [taught, tried] = [await proven(played(position, best.square)!, position.side), await proven(played(position, square)!, position.side)];
        return taught && tried && { best, taught, tried };
      });
      if (!found) return;
      const { best, mine } = found;
      const loss = mine ? best.score! - mine.score! : found.taught!.score - found.tried!.score;
      if (mine && loss < NEAR) return right(square, loss < 0.5 ? texts.right : texts.goodToo(nameOf(square), nameOf(best.square), scoreText(best.score!)));
      await noted(loss < NEAR);
      if (loss >= NEAR) return wrong(square, best.square, best.score!);
      one.isGood = true;
      one.verdict = texts.notInBook(nameOf(square), nameOf(best.square));
      changed();
    },
    async show() {
      if (one.isDone || one.isBusy || !one.key) return;
      const best = plan.source === "own" ? { square: next()!, score: (await valued(next()!))?.score ?? null } : (await known())[0];
      if (!best || best.score === null) return;
      await noted(false);
      one.isDone = true;
      one.isGood = false;
      one.shown = best.square;
      one.verdict = texts.solution(nameOf(best.square), scoreText(best.score));
      changed();
    },
  };
  const valued = (square: Square) => {
    const { position } = game.current;
    return working(one, () => proven(played(position, square)!, position.side));
  };
  /** The move that is learnt, and why the other one is worse. */
  async function wrong(square: Square, best: Square, score?: number): Promise<void> {
    const found = await valued(best);
    if (found) await refute(one, game.current.position, best, [best, ...found.line].slice(0, 8), score ?? found.score, square);
  }
  return one;
}
