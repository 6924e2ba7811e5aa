// Values and solves of the position.

import { startSolve, stopSolve, toggleValues } from "../commands/study";
import { button, h, set, write } from "../elements";
import { study } from "../engines";
import { bestOf, isEnd, locale, state } from "../state";
import { solutionText } from "../words";

export const studyView = h("section", { class: "card" });
let parts: { values: HTMLButtonElement; exact: HTMLButtonElement; wld: HTMLButtonElement; stop: HTMLButtonElement; words: HTMLElement; solved: HTMLElement };

export function makeStudy(): void {
  const { texts } = locale;
  parts = {
    values: button(texts.values, toggleValues, { "aria-pressed": "false" }),
    exact: button(texts.solveExact, () => void startSolve("exact")),
    wld: button(texts.solveWld, () => void startSolve("wld")),
    stop: button(texts.stop, stopSolve),
    words: h("p", { class: "faint" }),
    solved: h("p", { class: "solved" }),
  };
  const { values, exact, wld, stop, words, solved } = parts;
  studyView.replaceChildren(h("h2", {}, texts.study), h("div", { class: "buttons" }, values, exact, wld, stop), words, solved);
}

export function renderStudy(): void {
  const { values, exact, wld, stop, words, solved } = parts;
  set(values, "aria-pressed", String(state.showsValues));
  const isSolving = state.solve?.state === "running";
  exact.disabled = wld.disabled = isEnd() || isSolving;
  stop.hidden = !isSolving;
  write(words, valueText());
  write(solved, state.solve?.node === state.game.current ? solutionText(state.solve, locale.texts, locale.language) : "");
}

function valueText(): string {
  const { texts, language } = locale;
  const best = state.showsValues ? bestOf(study.values.values()) : undefined;
  if (best) {
    const nodes = study.nodes.toLocaleString(language);
    return `${texts.depth} ${study.depth} · ${nodes} ${texts.nodes} · ${texts.bestLine}: ${best.pv.slice(0, 8).join(" ")}`;
  }
  return state.showsValues && !isEnd() ? texts.loadingEngine : texts.valuesHelp;
}
