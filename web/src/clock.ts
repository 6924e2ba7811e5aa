// The clocks of a game.

import { say, settings, state, isEnd, position, redraw } from "./state";
import type { Color } from "./rules";

/** Seconds that a side has left. */
export function timeLeft(side: Color): number {
  const { clocks, isPlaying } = state;
  if (!clocks) return 0;
  const runs = position().side === side && !isEnd() && isPlaying;
  return clocks[side] - (runs ? (performance.now() - clocks.since) / 1000 : 0);
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

/** The turn of `mover` is over. */
export function pressClock(mover: Color): void {
  const { clocks } = state;
  if (!clocks) return;
  const now = performance.now();
  clocks[mover] -= (now - clocks.since) / 1000;
  clocks.since = now;
}

/** Looks at the clocks: `tick` draws them, `ended` is told when the time of the side to move is up. */
export function watchClocks(tick: () => void, ended: () => string): void {
  setInterval(() => {
    if (!state.clocks || isEnd() || !state.isPlaying) return;
    const { side } = position();
    if (timeLeft(side) > 0) return tick();
    state.clocks[side] = 0;
    state.flagged = side;
    say(ended());
    redraw();
  }, 250);
}
