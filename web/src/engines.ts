// The engines of the page, each with a worker of its own: a search never waits for another kind of work.

import { Checker } from "./checker";
import { Engine } from "./engine";
import { resources } from "./resources";
import { SplitSolver } from "./solve";
import { fault, later } from "./state";
import { Study } from "./study";
import { Team } from "./team";

export const loaded = resources();

/** Plays and gives hints. */
export const player = new Engine(loaded, { hashMb: 64, loaded: later });
/** Reads texts and files. */
export const reader = new Engine(loaded, { weights: false });
/** Knows the book, and people. */
export const guide = new Engine(loaded);
/** Analyses games. */
export const judge = new Engine(loaded);
/** Values and solves, which share workers: only one of both runs. */
export const team = new Team(loaded);
export const study = new Study(team, later, fault);
export const solver = new SplitSolver(team);
export const checker = new Checker(loaded);

/** Ends all workers as a lack of memory does, for tests. */
export function killAll(): void {
  for (const engine of [player, reader, guide, judge, ...team.engines]) engine.kill();
}
