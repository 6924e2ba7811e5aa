// The state of the page: what is played, looked at, solved and proven. Commands change it, views show it.

import type { Point } from "../../src/analysis/page/report.js";
import type { Claim } from "./checker";
import type { NewGame } from "./dialogs";
import type { GameReport, Info } from "./engine";
import { Game, type Node } from "./game";
import { LoadError, MissingError } from "./resources";
import { type Color, type Position, type Square, isOver, opponent } from "./rules";
import type { Solution } from "./solve";
import { newId } from "./kept";
import { recall } from "./storage";
import { type Texts, en, textsOf } from "./texts";

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

/** Seconds left, and when that was. */
export interface Clocks {
  X: number;
  O: number;
  since: number;
}

/** How a game ended before the board was full: the time of the side is up, or it has resigned. */
export interface Ended {
  by: "time" | "resigns";
  side: Color;
}

/** The score of a position for Black. */
export interface Known {
  black: number;
  exact: boolean;
}

/** A text that was not understood. */
export interface Unread {
  text: string;
  /** Where, if it is known. */
  place?: { line: number; column: number } | undefined;
  words: string;
}

export type Tab = "play" | "study" | "games" | "train";

export interface State {
  game: Game;
  /** Of the game among those that are kept. */
  id: string;
  notes: string;
  /** Does the engine answer at the end of the line? Only in a game, not while one is looked at. */
  isPlaying: boolean;
  /** Where the game stands, also while what was before is looked at. */
  live: Node | undefined;
  /** Where the person has to pass, until that has been seen. */
  waits: Node | undefined;
  isThinking: boolean;
  hint: { node: Node; move: Square; score: string } | undefined;
  showsValues: boolean;
  solve: Solve | undefined;
  report: Report | undefined;
  clocks: Clocks | undefined;
  ended: Ended | undefined;
  proof: Proof | undefined;
  /** What the checker of proofs says instead: its progress, or what is wrong. */
  checking: { percent?: number; wrong?: string } | undefined;
  message: string | undefined;
  unread: Unread | undefined;
  tab: Tab;
}

export const state: State = {
  game: new Game(),
  id: newId(),
  notes: "",
  isPlaying: false,
  live: undefined,
  waits: undefined,
  isThinking: false,
  hint: undefined,
  showsValues: false,
  solve: undefined,
  report: undefined,
  clocks: undefined,
  ended: undefined,
  proof: undefined,
  checking: undefined,
  message: undefined,
  unread: undefined,
  tab: "play",
};

/** What is known of positions, from values, solves and analyses. */
export const scores = new WeakMap<Node, Known>();

export type Effort = "full" | "quick";

/** How the board is shown. */
export interface Look {
  isFlipped: boolean;
  colours: "green" | "blue" | "wood" | "grey";
  hasSounds: boolean;
  showsLegal: boolean;
}

/** What the person has chosen, kept between visits. `asRating`: the analysis says what players of it find;
 * `showsKnown`: what the book and people know of the moves is shown. */
export const settings: NewGame & Look & { effort: Effort; asRating?: number | undefined; showsKnown?: boolean } = {
  human: "X", level: 3, seconds: 0, minutes: 0, rating: 0,
  isFlipped: false, colours: "green", hasSounds: false, showsLegal: true,
  effort: ((navigator as { deviceMemory?: number }).deviceMemory ?? 8) < 4 ? "quick" : "full",
  ...recall<NewGame>("settings"),
};

export const locale: { language: string; texts: Texts } = { language: "en", texts: en };

/** The texts of the language, which are loaded when they are first needed; of English, if they do not come. */
export async function setLanguage(language: string): Promise<void> {
  const texts = await textsOf(language).catch(() => undefined);
  locale.texts = texts ?? en;
  locale.language = texts ? language : "en";
}

export const preferredLanguage = (): string => recall<string>("language") ?? (navigator.language.startsWith("ja") ? "ja" : "en");

export const position = (): Position => state.game.current.position;
export const isEnd = (): boolean => isOver(position()) || (state.ended !== undefined && state.game.current === state.live);
/** Is an earlier position of a game looked at? */
export const isLookingBack = (): boolean => state.isPlaying && state.live !== undefined && state.game.current !== state.live;
/** Does the person have to pass where the game stands? */
export const isPassing = (): boolean => {
  const { isPlaying, live } = state;
  return isPlaying && settings.human !== "both" && live !== undefined && live.passes && !isOver(live.position) && isHuman(opponent(live.position.side));
};
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

/** Milliseconds between two drawings of what workers report: a slow device has most of them for its person. */
const SELDOM = 100;
let drawnAt = 0;

/** Draws soon: whatever workers report. */
export function later(): void {
  if (isDue) return;
  isDue = true;
  const wait = Math.max(0, drawnAt + SELDOM - performance.now());
  setTimeout(() => requestAnimationFrame(() => {
    isDue = false;
    draw();
    drawnAt = performance.now();
  }), wait);
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
  const { texts } = locale;
  show(error instanceof MissingError ? texts.missing(message) : error instanceof LoadError ? texts.notLoaded(message) : texts.failed(message));
  isFault = true;
}

/** Something is tried anew: what went wrong before is no longer said. */
export function retry(): void {
  if (isFault) show(undefined);
}
