// Keeping the game: noted at each move in the tab's history and in the list of games, and opened again.

import { tick } from "../clock";
import { type Kept, fromHistory, fromList, hold, keepInList, listed, newId, noteInHistory } from "../kept";
import { linkOf, nodeAt, readLink } from "../game";
import { finalScore, isOver } from "../rules";
import { isEnd, isPassing, locale, settings, show, state } from "../state";

/** Milliseconds between two notes of what changes often: a browser allows a few hundred a minute. */
const SELDOM = 300;

let timer: ReturnType<typeof setTimeout> | undefined;

function kept(): Kept {
  const { game, id, isPlaying, live, clocks, ended, notes } = state;
  const { human, level, seconds, minutes, rating } = settings;
  const end = game.line().at(-1)!;
  const result = isEnd() && ended ? `${ended.side === "X" ? "-" : "+"}${ended.by}` : isOver(end.position) ? String(finalScore(end.position)) : undefined;
  return {
    id, link: linkOf(game), changed: Date.now(), by: { human, level, seconds, minutes, rating }, plays: isPlaying, live: live ? game.transcript(game.path(live)) : "",
    clocks: clocks && { X: clocks.X, O: clocks.O }, ended, notes, moves: end.ply, result,
  };
}

/** Notes the game now; `isNew`: as another one. */
export function keepNow(isNew = false): void {
  clearTimeout(timer);
  timer = undefined;
  tick();
  const game = kept();
  noteInHistory(game, isNew);
  toList(game).catch(() => show(locale.texts.notKept));
}

/** A game without a move is in no list. */
async function toList(game: Kept): Promise<void> {
  if (game.moves || !state.game.startsUsually) await keepInList(game);
}

/** Notes the game soon. */
export function keepSoon(): void {
  timer ??= setTimeout(keepNow, SELDOM);
}

/** Shows a kept game as it was left. `false`: it cannot be read. */
export function restore(game: Kept): boolean {
  const opened = readLink(game.link) ?? (game.moves === 0 ? readLink("g=") : undefined);
  if (!opened) return false;
  Object.assign(settings, game.by);
  state.game = opened.game;
  state.id = game.id;
  state.isPlaying = game.plays;
  state.live = game.plays ? nodeAt(opened.game, game.live) : undefined;
  state.ended = game.ended;
  state.notes = game.notes;
  state.clocks = game.clocks && { ...game.clocks, since: performance.now() };
  state.waits = isPassing() ? state.live : undefined;
  return true;
}

/** Takes the game for this tab, as a copy if another tab has it. */
export async function takeHold(): Promise<void> {
  if (await hold(state.id)) return;
  state.id = newId();
  await hold(state.id);
  keepNow();
}

/** The game of this tab, or that of its link, or the last one that no other tab has, or a new one. */
export async function openFirst(): Promise<void> {
  const own = fromHistory();
  if (own && restore(own)) {
    // The page may have been left before the list had it.
    const latest = await fromList(own.id).catch(() => undefined);
    if (!latest || latest.changed < own.changed) await toList(own).catch(() => {});
    return takeHold();
  }
  if (location.hash.length > 1) {
    const linked = readLink(location.hash);
    if (linked) state.game = linked.game;
    state.isPlaying = false;
    if (!linked || linked.wrong) show(linked ? locale.texts.openedUpTo(linked.wrong!) : locale.texts.badLink);
    keepNow();
    return takeHold();
  }
  const [last] = await listed().catch(() => []);
  if (last && state.game.current === state.game.root && (await hold(last.id)) && restore(last)) return noteInHistory(last, false);
  state.isPlaying = true;
  state.live = state.game.root;
  noteInHistory(kept(), false);
  await takeHold();
}

/** The game of the history's entry that was gone to, as it was left. */
export async function restoreFromHistory(): Promise<boolean> {
  const own = fromHistory();
  if (!own) return false;
  const latest = await fromList(own.id).catch(() => undefined);
  if (!restore(latest && latest.changed > own.changed ? latest : own)) return false;
  await takeHold();
  return true;
}

/** What is not noted yet is noted when the page is left. */
export function keepOnLeaving(): void {
  const leave = () => timer !== undefined && keepNow();
  addEventListener("pagehide", () => (state.clocks ? keepNow() : leave()));
  addEventListener("visibilitychange", leave);
}
