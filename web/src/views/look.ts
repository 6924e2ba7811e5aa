// How the board is shown, and whether it is heard.

import { ask } from "../dialogs";
import { button, h } from "../elements";
import { type Look, locale, redraw, settings } from "../state";
import { remember } from "../storage";

const COLOURS: Look["colours"][] = ["green", "blue", "wood", "grey"];

function change(to: Partial<Look>): void {
  Object.assign(settings, to);
  remember("settings", settings);
  redraw();
}

export const flip = (): void => change({ isFlipped: !settings.isFlipped });

export function showLook(): void {
  const { texts } = locale;
  const colours = h("select", { onchange: () => change({ colours: colours.value as Look["colours"] }) },
    ...COLOURS.map((value) => h("option", { value, selected: settings.colours === value }, texts.colourNames[value])));
  const check = (label: string, isOn: boolean, act: (isOn: boolean) => void) => {
    const box = h("input", { type: "checkbox", checked: isOn, onchange: () => act(box.checked) });
    return h("label", { class: "check" }, box, label);
  };
  void ask(texts.look, (close) => [
    h("label", { class: "field" }, h("span", {}, texts.colours), colours),
    check(texts.flipped, settings.isFlipped, (isFlipped) => change({ isFlipped })),
    check(texts.showLegal, settings.showsLegal, (showsLegal) => change({ showsLegal })),
    check(texts.sounds, settings.hasSounds, (hasSounds) => change({ hasSounds })),
    h("div", { class: "buttons end" }, button(texts.close, () => close(), { class: "primary" })),
  ]);
}
