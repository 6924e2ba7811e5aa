// The first panel: a game for a beginner, in few words; what else there is comes when it is asked for.

import { begin, newGame, resign } from "../commands/play";
import { button, h, write } from "../elements";
import { Game } from "../game";
import { isEnd, locale, redraw, settings, state } from "../state";
import { remember } from "../storage";

export const startView = h("section", { class: "card lead" });
let strength: HTMLSelectElement;
let resigns: HTMLButtonElement;
let note: HTMLElement;

/** Levels by words: what a beginner, or one who plays now and then, will want. */
const LEVELS = [1, 3, 6, 9, 12, 15, 20];

/** The nearest of the levels that have words. */
const nearest = (level: number): number => LEVELS.reduce((best, one) => (Math.abs(one - level) < Math.abs(best - level) ? one : best));

export function makeStart(): void {
  const { texts } = locale;
  strength = h("select", { onchange: choose }, ...LEVELS.map((level) => h("option", { value: level }, texts.levelWord(level))), h("option", { value: "other" }, texts.otherStrength));
  const field = h("label", { class: "inline" }, texts.opponent, strength);
  resigns = button(texts.resign, resign);
  note = h("p", { class: "faint" });
  startView.replaceChildren(h("h2", {}, texts.play), field, note, h("div", { class: "buttons" }, button(texts.rules, () => void showHelp()), button(texts.look, () => void showLook()), resigns), h("p", { class: "faint keys" }, texts.boardHelp));
}

export async function showHelp(): Promise<void> {
  (await import("../later")).showHelp();
}

export async function showLook(): Promise<void> {
  (await import("../later")).showLook();
}

/** Another opponent: from the start of a game at once, later with a new game. */
function choose(): void {
  if (strength.value === "other") {
    void newGame().then(redraw);
    return;
  }
  Object.assign(settings, { level: Number(strength.value), seconds: 0, rating: 0 });
  remember("settings", settings);
  if (!state.game.current.parent && state.game.startsUsually && settings.human !== "both") begin(new Game(), true);
  redraw();
}

export function renderStart(): void {
  const { texts } = locale;
  const isLevel = !settings.seconds && !settings.rating && LEVELS.includes(settings.level);
  strength.value = isLevel ? String(settings.level) : settings.seconds || settings.rating ? "other" : String(nearest(settings.level));
  resigns.hidden = !state.isPlaying || isEnd() || settings.human === "none" || settings.human === "both" || !state.game.current.parent;
  write(note, state.game.current.parent || !state.game.startsUsually ? "" : texts.firstMove);
}
