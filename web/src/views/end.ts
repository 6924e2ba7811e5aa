// What there is to do when a game has ended.

import { analyse } from "../commands/study";
import { analysisView } from "./analysis";
import { rematch, resultText } from "../commands/play";
import { ask } from "../dialogs";
import { button, h } from "../elements";
import { locale, redraw, state } from "../state";
import { load, open } from "./panels";
import { shareLink } from "./share";

export async function showEnd(): Promise<void> {
  const { texts } = locale;
  const chosen = await ask<"again" | "analyse" | "puzzle" | "share">(resultText(), (close) => [
    h("div", { class: "choices" },
      button(texts.rematch, () => close("again"), { class: "primary" }), button(texts.analyse, () => close("analyse")),
      button(texts.nextPuzzle, () => close("puzzle")), button(texts.shareLink, () => close("share")), button(texts.close, () => close())),
  ]);
  if (chosen === "again") rematch();
  if (chosen === "puzzle") open("train");
  if (chosen === "share") await shareLink();
  if (chosen !== "analyse") return;
  open("study");
  if (state.game.line().length < 2) return;
  const done = analyse();
  await load("study");
  redraw();
  // On a phone it stands below.
  analysisView.scrollIntoView({ block: "start" });
  await done;
  if (state.tab === "study") analysisView.scrollIntoView({ block: "start" });
}
