// Games that are kept: each entry of the tab's history holds its game as it stands, so that a reload, back and forward lose
// nothing; and a list of all games, in the database of the browser.

import { createStore, del, entries, get, set } from "idb-keyval";
import type { NewGame } from "./dialogs";
import type { Color } from "./rules";
import type { Ended } from "./state";

/** A game as it is kept. */
export interface Kept {
  id: string;
  /** The moves with their variations, the place shown, the names: as in a link. */
  link: string;
  changed: number;
  /** Against whom. */
  by: NewGame;
  plays: boolean;
  /** The moves to where the game stands. */
  live: string;
  clocks?: Pick<Record<Color, number>, Color> | undefined;
  ended?: Ended | undefined;
  notes: string;
  moves: number;
  /** For Black, when the game is over. */
  result?: string | undefined;
}

const games = createStore("emilia-games", "games");

export const newId = (): string => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

// A browser without a database throws at once: all of these reject.
export const keepInList = async (kept: Kept): Promise<void> => set(kept.id, kept, games);
export const dropFromList = async (id: string): Promise<void> => del(id, games);
export const fromList = async (id: string): Promise<Kept | undefined> => get<Kept>(id, games);

/** All games, the latest first. */
export async function listed(): Promise<Kept[]> {
  const all = await entries<string, Kept>(games);
  return all.map(([, kept]) => kept).sort((a, b) => b.changed - a.changed);
}

/** The game of this entry of the tab's history. */
export const fromHistory = (): Kept | undefined => (history.state as { game?: Kept } | null)?.game;

/** Notes the game in the tab's history: in a new entry, without a link in the address, or in the one that is there. */
export function noteInHistory(game: Kept, isNew: boolean): void {
  try {
    if (isNew) history.pushState({ game }, "", location.href.replace(/#.*/, ""));
    else history.replaceState({ game }, "");
  } catch {
    // A browser allows so many notes a minute; the list has the game.
  }
}

let release = (): void => {};

/** Takes the game for this tab; `false` if another tab has it. */
export function hold(id: string): Promise<boolean> {
  release();
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const held = () => new Promise<void>((done) => {
      release = done;
      resolve(true);
    });
    // After a reload the page before may still have it for a moment.
    navigator.locks.request(`emilia-${id}`, { signal: AbortSignal.timeout(1500) }, held).catch(() => resolve(false));
  });
}
