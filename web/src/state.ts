// The state of the page: what is played, looked at, solved and proven. Commands change it, views show it.

import type { Point } from "../../src/analysis/page/report.js";
import type { Claim } from "./checker";
import type { NewGame } from "./dialogs";
import type { GameReport, Info } from "./engine";
import { Game, type Node } from "./game";
import { LoadError } from "./resources";
import { type Color, type Position, isOver, type Square } from "./rules";
import type { Solution } from "./solve";
import { recall } from "./storage";
import { type Texts, languages } from "./texts";

/** A solve of the position of `node`. */
export interface Solve {
  node: Node;
  found: Solution | undefined;
  state: "running" | "done" | "stopped";
}

/** The analysis of a line of the game. */
export interface Report {
  line: Node[];
  points: Point[];
  /** When it is complete. */
  found?: GameReport;
}

/** A proof that the checker has accepted. */
export interface Proof {
  side: Color;
  claim: string;
  report: string;
  /** What it says of the position that is shown. */
  said: Claim[];
  plays: boolean;
}

/** Seconds left when a turn began, and when that was. */
export interface Clocks {
  X: number;
  O: number;
  since: number;
}

export interface State {
  game: Game;
  /** Does the engine answer at the end of the line? Only in a game, not while one is looked at. */
  isPlaying: boolean;
  isThinking: boolean;
  hint: { node: Node; move: Square } | undefined;
  showsValues: boolean;
  solve: Solve | undefined;
  report: Report | undefined;
  clocks: Clocks | undefined;
  /** Whose time is up. */
  flagged: Color | undefined;
  proof: Proof | undefined;
  /** What the checker of proofs says instead: its progress, or what is wrong. */
  checking: { percent?: number; wrong?: string } | undefined;
  message: string | undefined;
}

export const state: State = {
  game: new Game(),
  isPlaying: false,
  isThinking: false,
  hint: undefined,
  showsValues: false,
  solve: undefined,
  report: undefined,
  clocks: undefined,
  flagged: undefined,
  proof: undefined,
  checking: undefined,
  message: undefined,
};

export type Effort = "full" | "quick";

/** What the person has chosen, kept between visits. `rating`: the analysis says what players of it find. */
export const settings: NewGame & { effort: Effort; rating?: number | undefined } = {
  human: "X", level: 3, seconds: 0, minutes: 0,
  effort: ((navigator as { deviceMemory?: number }).deviceMemory ?? 8) < 4 ? "quick" : "full",
  ...recall<NewGame>("settings"),
};

export const locale: { language: string; texts: Texts } = { language: "en", texts: languages["en"]! };

export function setLanguage(language: string): void {
  locale.texts = languages[language] ?? languages["en"]!;
  locale.language = languages[language] ? language : "en";
}

setLanguage(recall<string>("language") ?? (navigator.language.startsWith("ja") ? "ja" : "en"));

export const position = (): Position => state.game.current.position;
export const isEnd = (): boolean => isOver(position()) || state.flagged !== undefined;
export const isHuman = (side: Color): boolean => settings.human === "both" || settings.human === side;
export const sideName = (side: Color): string => (side === "X" ? locale.texts.black : locale.texts.white);

/** The best of what is known of moves. */
export function bestOf(values: Iterable<Info>): Info | undefined {
  return [...values].sort((a, b) => b.score - a.score)[0];
}

// Drawing. The page says how it is drawn; whoever changes the state says when.
let draw = (): void => {};
let isDue = false;

export function drawWith(all: () => void): void {
  draw = all;
}

/** Draws now: after what a person did. */
export function redraw(): void {
  draw();
}

/** Draws with the next frame: whatever workers report. */
export function later(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

// What the screen reader says, and what everyone reads beside the board.
let speak = (_words: string): void => {};

export function speakWith(all: (words: string) => void): void {
  speak = all;
}

export function say(words: string): void {
  speak(words);
}

let isFault = false;

export function show(words: string | undefined): void {
  state.message = words;
  isFault = false;
  later();
}

/** Says what went wrong in a search, or in loading what it needs. */
export function fault(error: unknown): void {
  const { message } = error as Error;
  show(error instanceof LoadError ? locale.texts.notLoaded(message) : locale.texts.failed(message));
  isFault = true;
}

/** Something is tried anew: what went wrong before is no longer said. */
export function retry(): void {
  if (isFault) show(undefined);
}
