// The names of openings, by position: a line is recognised however it was turned or reached.

import list from "../../src/formats/opening_names.tsv";
import { gameOf, type Node } from "./game";
import { START, canonical } from "./rules";

const names = new Map<string, { en: string; ja: string }>();

/** Plays the openings, which takes a moment: when the page has nothing else to do. Until then they have no names. */
export function prepareOpenings(): void {
  for (const line of list.trim().split("\n").slice(1)) {
    const [moves = "", en = "", ja = ""] = line.split("\t");
    const { game, isWhole } = gameOf(START, moves);
    if (isWhole) names.set(canonical(game.current.position), { en: en || ja, ja: ja || en });
  }
}

/** The name of the last position of the path that has one. */
export function openingOf(path: Node[], language: string): string | undefined {
  const found = path.slice(0, 22).reverse().map((node) => names.get(canonical(node.position))).find(Boolean);
  return found && (language === "ja" ? found.ja : found.en);
}
