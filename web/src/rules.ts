// The rules, for the page alone: what is legal, what a move leads to, how a game ends. The tests count lines of play
// with them and compare with the engine.

export type Color = "X" | "O";
export type Square = number; // 8 * (rank - 1) + file; a1 is 0, h8 is 63

export const opponent = (color: Color): Color => (color === "X" ? "O" : "X");
export const nameOf = (square: Square): string => "abcdefgh"[square % 8]! + (1 + (square >> 3));

export function squareOf(name: string): Square | undefined {
  const found = /^([a-h])([1-8])$/i.exec(name);
  return found ? found[1]!.toLowerCase().charCodeAt(0) - 97 + 8 * (Number(found[2]) - 1) : undefined;
}

/** 64 cells of `X`, `O` and `-`, and whose turn it is: the text form of the engine. */
export interface Position {
  readonly cells: string;
  readonly side: Color;
}

export const START: Position = { cells: "-".repeat(27) + "OX" + "-".repeat(6) + "XO" + "-".repeat(27), side: "X" };

export const textOf = ({ cells, side }: Position): string => `${cells} ${side}`;
export const isSame = (a: Position, b: Position): boolean => textOf(a) === textOf(b);

export function positionOf(text: string): Position | undefined {
  const found = /^([XO-]{64})[ _]?([XO])$/.exec(text);
  return found ? { cells: found[1]!, side: found[2] as Color } : undefined;
}

const STEPS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [right, down] as const)).filter(([x, y]) => x || y);

/** Discs that a move on `square` turns; none if it is not legal. */
export function flips({ cells, side }: Position, square: Square): Square[] {
  if (cells[square] !== "-") return [];
  const turned: Square[] = [];
  for (const [right, down] of STEPS) {
    const run: Square[] = [];
    let [x, y] = [(square % 8) + right, (square >> 3) + down];
    while (x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === opponent(side)) {
      run.push(8 * y + x);
      x += right;
      y += down;
    }
    if (x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === side) turned.push(...run);
  }
  return turned;
}

/** Views ask many times for the moves of the position that they show. */
const known = new WeakMap<Position, Square[]>();

export function legalMoves(position: Position): Square[] {
  const all = () => Array.from({ length: 64 }, (_, square) => square).filter((square) => flips(position, square).length > 0);
  const moves = known.get(position) ?? all();
  known.set(position, moves);
  return moves;
}

export const passed = ({ cells, side }: Position): Position => ({ cells, side: opponent(side) });

/** After a legal move, the turn with the other side, whether it can move or not. */
export function played(position: Position, square: Square): Position | undefined {
  const turned = flips(position, square);
  if (!turned.length) return undefined;
  const cells = [...position.cells];
  for (const at of [square, ...turned]) cells[at] = position.side;
  return { cells: cells.join(""), side: opponent(position.side) };
}

/** The same position with the turn where a move is possible; a pass if there is one. */
export function withPass(position: Position): { position: Position; isPass: boolean } {
  if (legalMoves(position).length) return { position, isPass: false };
  const other = passed(position);
  return legalMoves(other).length ? { position: other, isPass: true } : { position, isPass: false };
}

export const isOver = (position: Position): boolean => !legalMoves(position).length && !legalMoves(passed(position)).length;

export function count({ cells }: Position): { X: number; O: number; empty: number } {
  const of = (cell: string) => cells.split(cell).length - 1;
  return { X: of("X"), O: of("O"), empty: of("-") };
}

/** The final score for Black; empty squares are the winner's. */
export function finalScore(position: Position): number {
  const { X, O, empty } = count(position);
  return X > O ? X - O + empty : X < O ? X - O - empty : 0;
}

const mirrored = (square: Square): Square => 8 * (square >> 3) + 7 - (square % 8);
const turned = (square: Square): Square => 8 * (square % 8) + (square >> 3);

/** The same text for all eight images of a position. */
export function canonical({ cells, side }: Position): string {
  const images: string[] = [];
  let image = cells;
  for (let i = 0; i < 8; i++) {
    images.push(image);
    const map = i % 2 ? turned : mirrored;
    image = Array.from({ length: 64 }, (_, square) => image[map(square)]).join("");
  }
  return `${images.sort()[0]} ${side}`;
}

/** Do all moves lead to images of one position, as at the start? Then none is better than another. */
export function areMovesAlike(position: Position): boolean {
  const images = legalMoves(position).map((move) => canonical(played(position, move)!));
  return new Set(images).size === 1;
}
