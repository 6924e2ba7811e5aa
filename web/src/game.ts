// A game with its variations, as a tree. What was played stays: taking back only goes up.

import type { Ended } from "./state";
import { type Position, type Square, START, finalScore, isOver, isSame, legalMoves, nameOf, played, positionOf, squareOf, textOf, withPass } from "./rules";

export interface Node {
  readonly position: Position; // the side to move can move, or the game is over
  readonly move?: Square;
  /** The side that had to pass after the move. */
  readonly passes: boolean;
  readonly parent?: Node;
  readonly ply: number; // moves before it, passes not counted
  children: Node[];
}

export interface Names {
  black: string;
  white: string;
}

export class Game {
  readonly root: Node;
  current: Node;
  names: Names = { black: "", white: "" };

  constructor(start: Position = START) {
    const { position, isPass } = withPass(start);
    this.root = { position, passes: isPass, ply: 0, children: [] };
    this.current = this.root;
  }

  /** Plays at the current position, along a line that is there or as a new variation. */
  play(square: Square): boolean {
    const known = this.current.children.find((child) => child.move === square);
    if (known) {
      this.current = known;
      return true;
    }
    const after = played(this.current.position, square);
    if (!after) return false;
    const { position, isPass } = withPass(after);
    const node: Node = { position, move: square, passes: isPass, parent: this.current, ply: this.current.ply + 1, children: [] };
    this.current.children.push(node);
    this.current = node;
    return true;
  }

  /** From the root to `node`. */
  path(node: Node = this.current): Node[] {
    const path: Node[] = [];
    for (let at: Node | undefined = node; at; at = at.parent) path.unshift(at);
    return path;
  }

  /** The line through the current position, to its end along the first moves. */
  line(): Node[] {
    const line = this.path();
    for (let at = this.current.children[0]; at; at = at.children[0]) line.push(at);
    return line;
  }

  /** Makes the line through the current position the main one. */
  promote(): void {
    for (const node of this.path()) {
      const siblings = node.parent?.children;
      if (siblings) siblings.sort((a, b) => Number(b === node) - Number(a === node));
    }
  }

  transcript(nodes: Node[] = this.line()): string {
    return nodes.map((node) => (node.move === undefined ? "" : nameOf(node.move))).join("");
  }

  /** The same game, for another to go on from where this one is. */
  copy(): Game {
    const { game } = readTree(this.root.position, treeText(this.root));
    game.current = nodeAt(game, this.transcript(this.path()));
    game.names = { ...this.names };
    return game;
  }

  get startsUsually(): boolean {
    return isSame(this.root.position, START);
  }
}

/** A game of a start and a transcript, up to the first move that is not legal. */
export function gameOf(start: Position, transcript: string): { game: Game; isWhole: boolean } {
  const game = new Game(start);
  // A transcript may name passes; the tree makes its own.
  for (const name of transcript.match(/../g) ?? []) {
    if (/^(--|pa|ps)$/i.test(name)) continue;
    const square = squareOf(name);
    if (square === undefined || !game.play(square)) return { game, isWhole: false };
  }
  return { game, isWhole: true };
}

/** The tree as text: moves, variations in brackets behind the move that they replace. */
export function treeText(node: Node): string {
  const [main, ...others] = node.children;
  if (!main) return "";
  const variations = others.map((other) => `(${nameOf(other.move!)}${treeText(other)})`).join("");
  return nameOf(main.move!) + variations + treeText(main);
}

/** Most moves that a text may hold: a hostile one ends here. */
const MOST_NODES = 20_000;

/** The node that a transcript leads to, or the last one on the way. */
export function nodeAt(game: Game, transcript: string): Node {
  let node = game.root;
  for (const name of transcript.match(/../g) ?? []) node = node.children.find(({ move }) => move === squareOf(name)) ?? node;
  return node;
}

/** A game of text, and the first word of it that is no legal move: the game goes up to there. */
export interface ReadTree {
  game: Game;
  wrong?: string | undefined;
}

function readTree(start: Position, text: string): ReadTree {
  const game = new Game(start);
  const stack: Node[] = [];
  let nodes = 0;
  for (const word of text.match(/[a-h][1-8]|[()]|./gi) ?? []) {
    if (word === "(") {
      const { parent } = game.current;
      if (!parent) return { game, wrong: word };
      stack.push(game.current);
      game.current = parent;
    } else if (word === ")") {
      const back = stack.pop();
      if (!back) return { game, wrong: word };
      game.current = back;
    } else {
      const square = squareOf(word);
      if (square === undefined || ++nodes > MOST_NODES || !game.play(square)) return { game, wrong: `${game.current.ply + 1}. ${word}` };
    }
  }
  return { game, wrong: stack.length ? "(" : undefined };
}

// Links and saved games: `#g=TREE&at=PATH&s=START&b=NAME&w=NAME`.

export function linkOf(game: Game): string {
  const parts = new URLSearchParams();
  const tree = treeText(game.root);
  if (!game.startsUsually) parts.set("s", textOf(game.root.position).replace(" ", ""));
  if (tree) parts.set("g", tree);
  if (game.current !== game.root) parts.set("at", game.transcript(game.path()));
  if (game.names.black) parts.set("b", game.names.black);
  if (game.names.white) parts.set("w", game.names.white);
  return parts.toString().replaceAll("%28", "(").replaceAll("%29", ")");
}

/** The game of a link, up to its first bad move; nothing if it has none. */
export function readLink(fragment: string): ReadTree | undefined {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!["g", "s", "at"].some((key) => parts.has(key))) return undefined;
  const start = parts.has("s") ? positionOf(parts.get("s")!) : START;
  const read = start && readTree(start, parts.get("g") ?? "");
  // A link to a game that has no move at all is a bad one.
  if (!read || (read.wrong && read.game.root.children.length === 0)) return undefined;
  const { game, wrong } = read;
  if (wrong) return { game: named(game, parts), wrong };
  game.current = game.root;
  for (const name of parts.get("at")?.match(/../g) ?? []) {
    const square = squareOf(name);
    if (square === undefined || !legalMoves(game.current.position).includes(square)) break;
    game.play(square);
  }
  return { game: named(game, parts) };
}

function named(game: Game, parts: URLSearchParams): Game {
  const name = (key: string) => (parts.get(key) ?? "").slice(0, 80);
  game.names = { black: name("b"), white: name("w") };
  return game;
}

/** The game as NBoard and others read it; `ended`: who lost, and how, before the board was full. */
export function ggfOf(game: Game, ended?: Ended): string {
  const safe = (text: string) => text.replace(/[\]\\\r\n]/g, " ");
  const { position } = game.root;
  const board = position.cells.replaceAll("X", "*");
  const moves: string[] = [];
  let side = position.side;
  for (const node of game.line().slice(1)) {
    if (node.parent!.position.side !== side) {
      moves.push(`${side === "X" ? "B" : "W"}[PA]`);
      side = node.parent!.position.side;
    }
    moves.push(`${side === "X" ? "B" : "W"}[${nameOf(node.move!)}]`);
    side = side === "X" ? "O" : "X";
  }
  const { black, white } = game.names;
  const turn = position.side === "X" ? "*" : "O";
  const end = game.line().at(-1)!.position;
  const lost = ended && `${ended.side === "X" ? "-" : "+"}64.000:${ended.by === "time" ? "t" : "r"}`;
  const score = isOver(end) ? finalScore(end) : undefined;
  const result = lost ?? (score === undefined ? "?" : `${score < 0 ? "-" : "+"}${Math.abs(score)}.000`);
  return `(;GM[Othello]PC[Emilia]PB[${safe(black)}]PW[${safe(white)}]RE[${result}]TY[8]BO[8 ${board} ${turn}]${moves.join("")};)`;
}
