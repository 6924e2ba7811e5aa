// Keys, and the rules for a beginner.

import { ask } from "../dialogs";
import { button, h } from "../elements";
import { locale } from "../state";
import { boardPicture } from "../../../src/analysis/page/board.js";
import { START, nameOf, played } from "../rules";

export function showHelp(): void {
  const { texts } = locale;
  const first = played(START, 37)!;
  const picture = (cells: string, label: string, square?: number) =>
    h("figure", {}, boardPicture(cells, label, square === undefined ? [] : [{ square: nameOf(square), kind: "last" }]), h("figcaption", { class: "faint" }, label));
  const keys = texts.keyHelp.map(([key, what]) => h("li", {}, h("kbd", {}, key), ` ${what}`));
  void ask(texts.rules, (close) => [
    h("div", { class: "figures" }, picture(START.cells, texts.startPosition), picture(first.cells, texts.afterF5, 37)),
    h("ol", {}, ...texts.ruleHelp.map((rule) => h("li", {}, rule))),
    h("h3", {}, texts.keys), h("ul", { class: "plain keylist" }, ...keys),
    h("div", { class: "buttons end" }, button(texts.close, () => close(), { class: "primary" })),
  ]);
}
