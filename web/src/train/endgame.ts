// Endgames: a won or drawn position of a game between people of the model is played out, and the discs that are lost are counted.

import { scoreText } from "../elements";
import { guide } from "../engines";
import { type Position, START, type Square, count, isOver, played, squareOf, withPass } from "../rules";
import { sideName } from "../state";
import type { Progress } from "./progress";
import { after, lineText, mustPass } from "./puzzles";
import { type Given, type Lesson, base, changed, chosen, coach, drawn, keyOf, lesson, movesOfPeople, note, proven, working } from "./task";
import { words } from "./texts";

/** Nobody learns from a position that is won by more, in discs. */
const CLOSE = 16;
/** Plies of the search that says which positions are worth a proof, and how far it may be off, in discs. */
const [GLANCE, ABOUT] = ["depth 8", 4];
/** Games that are drawn for a position, at most. */
const MOST_GAMES = 40;

/** A position of a game between people in which the side to move can move. */
async function ofPeople(empties: number): Promise<Position | undefined> {
  let position = START;
  while (count(position).empty > empties) {
    const moves = await guide.look(position, chosen.rating, ["people"]);
    const move = moves && drawn(moves);
    if (!move) return undefined;
    position = withPass(played(position, squareOf(move.move)!)!).position;
    if (isOver(position)) return undefined;
  }
  return position;
}

/** One of them that is won or drawn for the side to move, by little, and its score. */
async function won(one: Lesson): Promise<{ position: Position; score: number } | undefined> {
  for (let i = 0; i < MOST_GAMES; i++) {
    const position = await ofPeople(chosen.empties);
    // Another lesson may need the coach.
    if (lesson() !== one) return undefined;
    if (!position) continue;
    let glance = -64;
    if ((await coach.search(position, GLANCE, { report: ({ score }) => (glance = score) })) === undefined) return undefined;
    if (glance < -ABOUT || glance > CLOSE) continue;
    const found = await proven(position, position.side);
    if (!found) return undefined;
    if (found.score >= 0 && found.score <= CLOSE) return { position, score: found.score };
  }
  return undefined;
}

export function endgame(progress: Progress): Given {
  const texts = words();
  const { empties, isExact, rating } = chosen;
  let side = START.side;
  let stands = 0;
  let lost = 0;
  const end = (): void => {
    one.isDone = true;
    one.isGood = lost === 0;
    one.verdict = texts.ended(lost);
    void note(one, stands >= 0, { lost });
  };
  /** The answers of the other side, until it is the person's turn again. */
  const reply = async (line: (Square | undefined)[]): Promise<void> => {
    let best = line;
    while (!isOver(one.position)) {
      const { position } = one;
      if (mustPass(position)) {
        one.position = after(position, undefined);
        best = best.slice(1);
      } else if (position.side === side) break;
      else {
        const move = isExact ? best[0] : drawn(await movesOfPeople(position))?.square;
        if (move === undefined) break;
        one.position = after(position, move);
        one.last = move;
        best = best.slice(1);
      }
    }
    if (isExact || isOver(one.position)) return;
    stands = (await proven(one.position, side))?.score ?? stands;
  };
  const one: Given = {
    ...base("endgame", "", texts.drawing(empties), START, progress),
    async open() {
      const found = await working(one, () => won(one));
      if (!found) return;
      ({ score: stands } = found);
      ({ side } = found.position);
      one.key = keyOf("end", found.position);
      one.position = found.position;
      one.question = texts.playOut(sideName(side), scoreText(stands), isExact ? texts.exactDefence : texts.peopleOf(rating));
    },
    async choose(square) {
      if (one.isDone || one.isBusy || !one.key || one.position.side !== side) return;
      const next = played(one.position, square);
      if (!next) return;
      one.position = next;
      one.last = square;
      one.shown = undefined;
      const found = await working(one, async () => {
        const found = await proven(next, side);
        if (!found) return undefined;
        const gone = stands - found.score;
        lost += gone;
        stands = found.score;
        await reply(found.line);
        return { gone };
      });
      if (!found) return;
      const { gone } = found;
      one.isGood = gone === 0;
      one.verdict = gone ? texts.now(scoreText(stands), gone) : texts.still(scoreText(stands));
      if (isOver(one.position)) end();
      changed();
    },
    show() {
      if (one.isBusy || !one.key) return;
      void working(one, () => proven(one.position, side)).then((found) => {
        if (!found) return;
        one.shown = found.line[0];
        one.verdict = texts.solution(lineText(found.line), scoreText(found.score));
        changed();
      });
    },
  };
  return one;
}
