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
const fault = h("p", { class: "bad", role: "alert" });
let area: HTMLTextAreaElement;

/** Says for two seconds that it is copied. */
async function copyAndSay(text: string): Promise<void> {
  await copy(text);
  note.textContent = locale.texts.copied;
  setTimeout(() => (note.textContent = ""), 2000);
}

/** Hands the link to the device where it takes one, or copies it. */
export async function shareLink(): Promise<void> {
  if ("share" in navigator) await navigator.share({ url: address() }).catch(() => {});
  else await copyAndSay(address());
}

export function makeShare(): void {
  const { texts } = locale;
  shareView.replaceChildren(h("h2", {}, texts.share), h("p", { class: "faint" }, texts.pasteHelp), inputs(), h("div", { class: "buttons" }, ...outputs(), note));
  shown = undefined;
}

/** The text that the box shows with its fault. */
let shown: unknown;

/** A text that was not understood stands in the box, with the place marked and in view. */
export function renderShare(): void {
  const { unread } = state;
  if (unread === shown) return;
  shown = unread;
  fault.textContent = unread?.words ?? "";
  area.setAttribute("aria-invalid", String(unread !== undefined));
  if (!unread) return;
  area.value = unread.text;
  area.focus({ preventScroll: true });
  const { line = 1, column = 1 } = unread.place ?? {};
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  if (unread.place) {
    area.setSelectionRange(start, Math.max(start + 1, start + (/^\S+/.exec(area.value.slice(start))?.[0].length ?? 1)));
    area.scrollTop = ((line - 2) / lines.length) * area.scrollHeight;
  }
  area.closest(".paste")!.scrollIntoView({ block: "center" });
}

function inputs(): HTMLElement {
  const { texts } = locale;
  const file = h("input", { type: "file", class: "hidden", tabindex: -1, "aria-label": texts.open });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen) await openFile(chosen);
    file.value = "";
  });
  area = h("textarea", { rows: 3, placeholder: texts.pasteHere, "aria-label": texts.pasteHere });
  const read = button(texts.read, () => {
    const text = area.value;
    // It comes back if it cannot be read.
    area.value = "";
    state.unread = undefined;
    void openText(text);
  });
  return h("div", { class: "paste" }, area, fault, h("div", { class: "buttons" }, read, button(texts.open, () => file.click()), button(texts.setUp, () => void setUp()), file));
}

function outputs(): HTMLElement[] {
  const { texts } = locale;
  const out = [
    button(texts.copyLink, () => void copyAndSay(address())),
    button(texts.copyMoves, () => void copyAndSay(state.game.transcript())),
    button(texts.copyBoard, () => void copyAndSay(textOf(position()))),
    button(texts.copyGgf, () => void copyAndSay(ggfOf(state.game, state.ended))),
    button(texts.savePng, async () => save("emilia.png", await boardPng(position(), state.game.current.move))),
    button(texts.saveSvg, () => save("emilia.svg", new Blob([boardSvg(position(), state.game.current.move)], { type: "image/svg+xml" }))),
    button(texts.print, () => print()),
  ];
  if ("share" in navigator) out.push(button(texts.shareLink, () => void shareLink()));
  return out;
}
