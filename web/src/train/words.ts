// Why a move is better than another, from facts alone that a rule can check on the boards. Nothing is guessed: where no
// rule fires, nothing is said.

import { type Position, type Square, legalMoves, nameOf, played } from "../rules";

/** What is compared: both moves, and how each goes on, from the opponent's answer. */
export interface Compared {
  position: Position;
  best: Square;
  other: Square;
  /** What follows the other move. */
  line: (Square | undefined)[];
}

export type Fact =
  | { rule: "corner"; corner: string; best: string; other: string }
  | { rule: "pass"; best: string }
  | { rule: "replies"; best: string; other: string; afterBest: number; afterOther: number }
  | { rule: "stable"; best: string; discs: number }
  | { rule: "parity"; best: string; other: string; odd: number };

const CORNERS: Square[] = [0, 7, 56, 63];
/** Replies, and discs, that have to be between both moves. */
const REPLIES_APART = 3;
const STABLE_APART = 2;
const MOST = 2;

/** At most two facts, the strongest first. */
export function facts({ position, best, other, line }: Compared): Fact[] {
  const [good, bad] = [played(position, best)!, played(position, other)!];
  const [b, o] = [nameOf(best), nameOf(other)];
  const found: Fact[] = [];
  const [afterBest, afterOther] = [legalMoves(good), legalMoves(bad)];
  const corner = CORNERS.find((one) => afterOther.includes(one) && !afterBest.includes(one) && line[0] === one);
  if (corner !== undefined) found.push({ rule: "corner", corner: nameOf(corner), best: b, other: o });
  if (!afterBest.length && afterOther.length) found.push({ rule: "pass", best: b });
  else if (afterOther.length - afterBest.length >= REPLIES_APART) found.push({ rule: "replies", best: b, other: o, afterBest: afterBest.length, afterOther: afterOther.length });
  const safe = stable(good, position.side).size - stable(bad, position.side).size;
  if (safe >= STABLE_APART) found.push({ rule: "stable", best: b, discs: safe });
  const [even, odd] = [regions(good).filter(isOdd).length, regions(bad).filter(isOdd).length];
  if (even === 0 && odd > 0 && regions(good).length > 1) found.push({ rule: "parity", best: b, other: o, odd });
  return found.slice(0, MOST);
}

const isOdd = (region: Square[]): boolean => region.length % 2 === 1;

const around = (square: Square): Square[] => {
  const [x, y] = [square % 8, square >> 3];
  const near: Square[] = [];
  for (const dy of [-1, 0, 1]) {
    for (const dx of [-1, 0, 1]) {
      if ((dx || dy) && x + dx >= 0 && x + dx < 8 && y + dy >= 0 && y + dy < 8) near.push(square + 8 * dy + dx);
    }
  }
  return near;
};

/** The empty squares in regions: two that touch, also by a corner, are in one. */
export function regions({ cells }: Position): Square[][] {
  const left = new Set([...cells].flatMap((cell, square) => (cell === "-" ? [square] : [])));
  const all: Square[][] = [];
  for (const start of left) {
    const region = [start];
    left.delete(start);
    for (const square of region) for (const near of around(square)) if (left.delete(near)) region.push(near);
    all.push(region);
  }
  return all;
}

const AXES = [[1, 0], [0, 1], [1, 1], [1, -1]] as const;

/** Discs of a side that can no longer be turned: on each axis its line is full, or a neighbour is the edge or safe itself. */
export function stable({ cells }: Position, side: string): Set<Square> {
  const safe = new Set<Square>();
  const at = (x: number, y: number) => (x < 0 || x > 7 || y < 0 || y > 7 ? undefined : 8 * y + x);
  const isFull = (square: Square, dx: number, dy: number) => {
    for (const sign of [1, -1]) {
      for (let i = 0; ; i++) {
        const one = at((square % 8) + sign * i * dx, (square >> 3) + sign * i * dy);
        if (one === undefined) break;
        if (cells[one] === "-") return false;
      }
    }
    return true;
  };
  const isHeld = (square: Square, dx: number, dy: number) =>
    [1, -1].some((sign) => {
      const near = at((square % 8) + sign * dx, (square >> 3) + sign * dy);
      return near === undefined || safe.has(near);
    });
  for (let grows = true; grows; ) {
    grows = false;
    for (let square = 0; square < 64; square++) {
      if (cells[square] !== side || safe.has(square)) continue;
      if (!AXES.every(([dx, dy]) => isFull(square, dx, dy) || isHeld(square, dx, dy))) continue;
      safe.add(square);
      grows = true;
    }
  }
  return safe;
}

