// The names of openings, by position: a line is recognised however it was turned or reached.

import list from "../../src/formats/opening_names.tsv";
import { gameOf, type Node } from "./game";
import { type Position, START, canonical } from "./rules";

const names = new Map<string, { en: string; ja: string }>();

/** Openings that are played at once: a few milliseconds. */
const AT_ONCE = 6;

/** Plays the openings, a few at a time, so that the page answers in between. Until that is done they have no names. */
export const prepareOpenings = (): Promise<void> => (prepared ??= prepare());
let prepared: Promise<void> | undefined;

async function prepare(): Promise<void> {
  const lines = list.trim().split("\n").slice(1);
  for (const [number, line] of lines.entries()) {
    if (number % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
    const [moves = "", en = "", ja = ""] = line.split("\t");
    const { game, isWhole } = gameOf(START, moves);
    if (isWhole) names.set(canonical(game.current.position), { en: en || ja, ja: ja || en });
  }
}

/** Plies within which all named positions are. */
const DEEPEST = 22;

const keys = new WeakMap<Node, string>();

function keyOf(node: Node): string {
  const known = keys.get(node) ?? canonical(node.position);
  keys.set(node, known);
  return known;
}

/** The name of a position, if it has one. */
export function nameOfPosition(position: Position, language: string): string | undefined {
  const name = names.get(canonical(position));
  return name && (language === "ja" ? name.ja : name.en);
}

/** The name of the last position of the path that has one. */
export function openingOf(path: Node[], language: string): string | undefined {
  if (!names.size) return undefined;
  const found = path.slice(0, DEEPEST).reverse().map((node) => names.get(keyOf(node))).find(Boolean);
  return found && (language === "ja" ? found.ja : found.en);
}
