// The file of puzzles that `emilia puzzles make` writes (src/puzzles/file.rs has the layout): read, and shown as one of
// the sixteen that a puzzle is, by symmetry and colour.

import { type Color, type Position, type Square, legalMoves, nameOf, opponent, passed, played } from "../rules";

export type Kind = "win" | "draw" | "best" | "count";
export type Theme = "corner" | "gives-corner" | "pass" | "quiet" | "region" | "wipe-out" | "draw";

export interface Puzzle {
  /** The same wherever and whenever it is met. */
  key: string;
  position: Position;
  kind: Kind;
  /** With best play, for the side to move. */
  score: number;
  /** Half of the players of this rating find it in a game. */
  rating: number;
  themes: Theme[];
  /** The solver's moves and the answers; a pass is `undefined`. */
  line: (Square | undefined)[];
}

const KINDS: Kind[] = ["win", "draw", "best", "count"];
const THEMES: Theme[] = ["corner", "gives-corner", "pass", "quiet", "region", "wipe-out", "draw"];
const MAGIC = "EMPUZZLE";
const VERSION = 2;
const PASS = 64;

export function readPuzzles(bytes: Uint8Array): Puzzle[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC || view.getUint32(8, true) !== VERSION) throw new Error("no puzzles");
  // A sealed container: head, header and checksum, then the one block behind its length; its name tells what it holds.
  const block = 16 + view.getUint32(12, true) + 8;
  const end = block + 4 + view.getUint32(block, true);
  const puzzles: Puzzle[] = [];
  for (let at = block + 4; at < end; ) {
    const [own, other] = [view.getBigUint64(at, true), view.getBigUint64(at + 8, true)];
    const has = (discs: bigint, square: number) => (discs >> BigInt(square)) & 1n;
    const cells = Array.from({ length: 64 }, (_, square) => (has(own, square) ? "X" : has(other, square) ? "O" : "-")).join("");
    const themes = view.getUint16(at + 20, true);
    const moves = bytes[at + 22]!;
    const line = [...bytes.subarray(at + 23, at + 23 + moves)].map((square) => (square === PASS ? undefined : square));
    puzzles.push({
      key: own.toString(36) + "." + other.toString(36), position: { cells, side: "X" }, kind: KINDS[bytes[at + 16]!]!, score: view.getInt8(at + 17),
      rating: view.getUint16(at + 18, true), themes: THEMES.filter((_, bit) => (themes >> bit) & 1), line,
    });
    at += 23 + moves;
  }
  return puzzles;
}

const mirrored = (square: Square): Square => 8 * (square >> 3) + 7 - (square % 8);
const turned = (square: Square): Square => 8 * (square % 8) + (square >> 3);

/** One of the eight images, 0 to 7, of a square. */
export function image(square: Square, symmetry: number): Square {
  let at = square;
  if (symmetry & 1) at = mirrored(at);
  if (symmetry & 2) at = 63 - mirrored(at);
  return symmetry & 4 ? turned(at) : at;
}

/** The puzzle seen through a symmetry, with these discs to move. */
export function seenThrough(puzzle: Puzzle, symmetry: number, side: Color): Puzzle {
  const cells: string[] = [];
  [...puzzle.position.cells].forEach((cell, square) => (cells[image(square, symmetry)] = side === "X" || cell === "-" ? cell : opponent(cell as Color)));
  const line = puzzle.line.map((square) => (square === undefined ? undefined : image(square, symmetry)));
  return { ...puzzle, position: { cells: cells.join(""), side }, line };
}

/** After a move, or a pass. */
export const after = (position: Position, move: Square | undefined): Position => (move === undefined ? passed(position) : played(position, move)!);

export const lineText = (line: (Square | undefined)[]): string => line.map((move) => (move === undefined ? "–" : nameOf(move))).join(" ");

/** Must the side to move pass? */
export const mustPass = (position: Position): boolean => !legalMoves(position).length && legalMoves(passed(position)).length > 0;
