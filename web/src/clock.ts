// The clocks of a game.

import { isEnd, isLookingBack, position, redraw, say, settings, state } from "./state";
import type { Color } from "./rules";

/** Does the clock of the side to move run? It stands while the game is looked through, while a pass is not seen, and behind the trainer. */
const runs = (): boolean => state.isPlaying && state.tab !== "train" && !isEnd() && !isLookingBack() && !state.waits;

/** Takes the time since the last look from the side to move, if its clock runs. Before the turn, or what runs, changes. */
export function tick(): void {
  const { clocks } = state;
  if (!clocks) return;
  const now = performance.now();
  if (runs()) clocks[position().side] -= (now - clocks.since) / 1000;
  clocks.since = now;
}

/** Seconds that a side has left. */
export function timeLeft(side: Color): number {
  tick();
  return state.clocks?.[side] ?? 0;
}

/** `4:07`, or nothing in a game without clocks. */
export function clockText(side: Color): string | undefined {
  if (!state.clocks) return undefined;
  const left = Math.max(0, timeLeft(side));
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

export function startClocks(): void {
  const seconds = 60 * settings.minutes;
  state.clocks = seconds ? { X: seconds, O: seconds, since: performance.now() } : undefined;
}

/** Looks at the clocks: `tick` draws them, `ended` is told when the time of the side to move is up. */
export function watchClocks(draw: () => void, ended: () => void): void {
  setInterval(() => {
    if (!state.clocks) return;
    const { side } = position();
    if (!runs() || timeLeft(side) > 0) return draw();
    state.clocks[side] = 0;
    state.ended = { by: "time", side };
    ended();
    redraw();
  }, 250);
}
