// Openings by heart: the positions of named lines, each once however it is reached, and the moves that belong there.

import list from "../../../src/formats/opening_names.tsv";
import { gameOf } from "../game";
import { type Position, type Square, START, canonical, nameOf } from "../rules";
import { type Progress, due } from "./progress";

export interface Drill {
  key: string;
  name: { en: string; ja: string };
  position: Position;
  /** What the lines play there. */
  moves: Square[];
}

/** The first moves are known to everyone. */
const FIRST_PLY = 2;

let all: Drill[] | undefined;

/** All positions of the lines, the first of each line first. */
export function allDrills(): Drill[] {
  if (all) return all;
  const found = new Map<string, Drill>();
  for (const line of list.trim().split("\n").slice(1)) {
    const [moves = "", en = "", ja = ""] = line.split("\t");
    const { game, isWhole } = gameOf(START, moves);
    if (!isWhole) continue;
    for (const node of game.line().slice(FIRST_PLY, -1)) {
      const move = node.children[0]!.move!;
      const key = `opening ${canonical(node.position)}`;
      const known = found.get(key);
      if (!known) found.set(key, { key, name: { en: en || ja, ja: ja || en }, position: node.position, moves: [move] });
      // Another line through the same position, if the board is not turned.
      else if (known.position.cells === node.position.cells && !known.moves.some((one) => nameOf(one) === nameOf(move))) known.moves.push(move);
    }
  }
  return (all = [...found.values()]);
}

/** What is due, or else the next that was not met. */
export function drills(progress: Progress, now: number): Drill {
  const list = allDrills();
  const [key] = due(progress, (one) => one.startsWith("opening "), now);
  return list.find((drill) => drill.key === key) ?? list.find((drill) => !progress.seen.has(drill.key)) ?? list[Math.floor(Math.random() * list.length)]!;
}
