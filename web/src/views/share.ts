// What comes in and goes out.

import { address, copy, openFile, openText } from "../commands/exchange";
import { setUp } from "../commands/play";
import { button, h } from "../elements";
import { ggfOf } from "../game";
import { boardPng, boardSvg, save } from "../picture";
import { textOf } from "../rules";
import { locale, position, state } from "../state";

export const shareView = h("section", { class: "card" });
const note = h("span", { class: "faint", "aria-hidden": "true" });

/** Copies, and says so for two seconds. */
async function copyAndSay(text: string): Promise<void> {
  await copy(text);
  note.textContent = locale.texts.copied;
  setTimeout(() => (note.textContent = ""), 2000);
}

export function makeShare(): void {
  const { texts } = locale;
  shareView.replaceChildren(h("h2", {}, texts.share), h("p", { class: "faint" }, texts.pasteHelp), inputs(), h("div", { class: "buttons" }, ...outputs(), note));
}

function inputs(): HTMLElement {
  const { texts } = locale;
  const file = h("input", { type: "file", class: "hidden", tabindex: -1, "aria-label": texts.open });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen) await openFile(chosen);
    file.value = "";
  });
  const area = h("textarea", { rows: 2, placeholder: texts.pasteHere, "aria-label": texts.pasteHere });
  const read = button(texts.read, () => {
    void openText(area.value);
    area.value = "";
  });
  return h("div", { class: "paste" }, area, h("div", { class: "buttons" }, read, button(texts.open, () => file.click()), button(texts.setUp, () => void setUp()), file));
}

function outputs(): HTMLElement[] {
  const { texts } = locale;
  const out = [
    button(texts.copyLink, () => void copyAndSay(address())),
    button(texts.copyMoves, () => void copyAndSay(state.game.transcript())),
    button(texts.copyBoard, () => void copyAndSay(textOf(position()))),
    button(texts.copyGgf, () => void copyAndSay(ggfOf(state.game))),
    button(texts.savePng, async () => save("emilia.png", await boardPng(position(), state.game.current.move))),
    button(texts.saveSvg, () => save("emilia.svg", new Blob([boardSvg(position(), state.game.current.move)], { type: "image/svg+xml" }))),
  ];
  if ("share" in navigator) out.push(button(texts.shareLink, () => void navigator.share({ url: address() }).catch(() => {})));
  return out;
}
