// The page: the views in their places, and what begins when it is opened.

import { resultText, answer, newGame } from "./commands/play";
import { takeAnything } from "./commands/exchange";
import { watchClocks } from "./clock";
import { button, h } from "./elements";
import { killAll, player } from "./engines";
import { readLink } from "./game";
import { prepareOpenings } from "./openings";
import { drawWith, later, locale, redraw, setLanguage, show, speakWith, state } from "./state";
import { recall, remember } from "./storage";
import { languages } from "./texts";
import { analysisView, makeAnalysis, renderAnalysis } from "./views/analysis";
import { makeMoves, movesView, renderMoves } from "./views/moves";
import { focusBoard, makePlay, playView, renderPlay, renderSides } from "./views/play";
import { proofView, renderProof } from "./views/proof";
import { makeShare, shareView } from "./views/share";
import { makeStudy, renderStudy, studyView } from "./views/study";

// What the screen reader says, and what everyone reads beside the board.
const live = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
const message = h("p", { class: "message", role: "alert", hidden: true });
const header = h("header");

function makeHeader(): void {
  const { texts, language } = locale;
  const options = Object.entries(languages).map(([key, { language: name }]) => h("option", { value: key, selected: key === language, lang: key }, name));
  const select = h("select", { "aria-label": "Language / 言語" }, ...options);
  select.addEventListener("change", () => {
    setLanguage(select.value);
    remember("language", locale.language);
    make();
    header.querySelector("select")!.focus();
  });
  const start = async () => {
    await newGame();
    focusBoard();
  };
  const brand = h("div", { class: "brand" }, h("span", { class: "logo", "aria-hidden": "true" }), h("h1", {}, texts.title), h("span", { class: "faint tagline" }, texts.tagline));
  header.replaceChildren(brand, button(texts.newGame, () => void start(), { class: "primary" }), select);
}

/** Makes everything that has texts. */
function make(): void {
  const { texts, language } = locale;
  document.documentElement.lang = language;
  document.title = `${texts.title} – ${texts.tagline}`;
  makeHeader();
  makePlay();
  makeStudy();
  makeMoves();
  makeAnalysis();
  makeShare();
  render();
}

function render(): void {
  message.textContent = state.message ?? "";
  message.hidden = !state.message;
  renderPlay();
  renderStudy();
  renderMoves();
  renderAnalysis();
  renderProof();
}

/** The game of the address, or else the one of the last visit, or else a new one. */
function openFirst(): void {
  const linked = readLink(location.hash);
  const kept = recall<string>("game");
  const keptGame = kept ? readLink(kept) : undefined;
  state.game = linked ?? keptGame ?? state.game;
  state.isPlaying = linked ? false : keptGame ? recall<boolean>("playing") === true : true;
  if (location.hash.length > 1 && !linked) show(locale.texts.badLink);
}

function startPage(): void {
  document.body.append(header, h("main", {}, playView, h("div", { class: "panels" }, message, proofView, studyView, movesView, analysisView, shareView)), live);
  drawWith(render);
  speakWith((words) => (live.textContent = words));
  openFirst();
  make();
  takeAnything();
  watchClocks(renderSides, resultText);
  player.warm();
  void answer();
  setTimeout(() => void prepareOpenings().then(later), 1000);
}

startPage();
redraw();
// For tests: what a lack of memory does.
Object.assign(globalThis, { emilia: { kill: killAll } });
if ("serviceWorker" in navigator && location.protocol.startsWith("http") && !document.getElementById("part0")) {
  navigator.serviceWorker.register("sw.js").catch(() => {});
}
