// The page: the views in their places, and what begins when it is opened.

import { takeAnything } from "./commands/incoming";
import { keepOnLeaving, openFirst } from "./commands/keep";
import { answer, go, listen, newGame, takeBack, timeIsUp } from "./commands/play";
import { watchClocks } from "./clock";
import { button, h, write } from "./elements";
import { killAll, player } from "./engines";
import { drawWith, isEnd, later, locale, preferredLanguage, redraw, setLanguage, settings, speakWith, state } from "./state";
import { recall, remember } from "./storage";
import { languages } from "./texts";
import { makeMoves, movesView, renderMoves } from "./views/moves";
import { makePanels, open, panelsView, renderPanels } from "./views/panels";
import { focusBoard, keysWith, makePlay, nameOpeningsWith, playView, renderPlay, renderSides } from "./views/play";
import { proofView, renderProof } from "./views/proof";
import { showHelp, showLook } from "./views/start";

// What the screen reader says, and what everyone reads beside the board.
const live = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
const message = h("p", { class: "message", role: "alert", hidden: true });
const header = h("header");
const offer = h("div", { class: "message offer", hidden: true });

function makeHeader(): void {
  const { texts, language } = locale;
  const options = Object.entries(languages).map(([key, name]) => h("option", { value: key, selected: key === language, lang: key }, name));
  const select = h("select", { "aria-label": "Language / 言語" }, ...options);
  select.addEventListener("change", async () => {
    await setLanguage(select.value);
    remember("language", locale.language);
    make();
    header.querySelector("select")!.focus();
  });
  const start = async () => {
    await newGame();
    focusBoard();
  };
  const brand = h("div", { class: "brand" }, h("span", { class: "logo", "aria-hidden": "true" }), h("h1", {}, texts.title), h("span", { class: "faint tagline" }, texts.tagline));
  const small = (sign: string, label: string, act: () => Promise<void>) => button(sign, () => void act(), { class: "sign", "aria-label": label, title: label });
  header.replaceChildren(brand, button(texts.newGame, () => void start(), { class: "primary" }), small("?", texts.rules, showHelp), small("◐", texts.look, showLook), select);
}

/** Makes everything that has texts. */
function make(): void {
  const { texts, language } = locale;
  document.documentElement.lang = language;
  document.title = `${texts.title} – ${texts.tagline}`;
  makeHeader();
  makePlay();
  makeMoves();
  makePanels();
  render();
}

function render(): void {
  const focused = document.activeElement;
  write(message, state.message ?? "");
  message.hidden = !state.message;
  renderPlay();
  renderMoves();
  renderProof();
  renderPanels();
  nameOpenings();
  if (focused && isGone(focused)) focusAfter(focused);
}

const isGone = (element: Element): boolean => element.matches(":disabled") || element.closest("[hidden]") !== null;

/** Who used what goes, a button or a field, is on the button that stands there now, or else on the board. */
function focusAfter(gone: Element): void {
  const others = playView.contains(gone) ? [] : [...gone.parentElement!.querySelectorAll("button")].reverse();
  const cells = [...document.querySelectorAll<HTMLElement>("[role=gridcell][tabindex='0']")];
  const next = others.find((one) => !isGone(one)) ?? cells.find((one) => one.checkVisibility());
  next?.focus({ preventScroll: true });
}

/** Keys of a letter, on the board and elsewhere. */
function key(name: string): boolean {
  const { current } = state.game;
  const acts: Record<string, () => void> = {
    backspace: takeBack, ",": () => go(current.parent), ".": () => go(current.children[0]), "?": () => void showHelp(),
    f: () => void import("./later").then(({ flip }) => flip()),
    a: () => void import("./later").then(({ analyse }) => (open("study"), analyse())),
    v: () => void import("./later").then(({ toggleValues }) => toggleValues()),
  };
  const act = acts[name.toLowerCase()];
  act?.();
  return act !== undefined;
}

/** Keys outside of the board: there the arrows go through the game, as the wheel on it does while none is played. */
function watchKeys(): void {
  addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog, [role=tablist], .training")) return;
    // The game waits behind the trainer.
    if (state.tab === "train" && event.key !== "?") return;
    const { current } = state.game;
    if (event.key === "ArrowLeft") go(current.parent);
    else if (event.key === "ArrowRight") go(current.children[0]);
    else if (event.key === "Backspace" || !key(event.key)) return;
    event.preventDefault();
  });
  let turned = 0;
  playView.querySelector(".board")!.addEventListener("wheel", (event) => {
    const { deltaY, ctrlKey } = event as WheelEvent;
    if (ctrlKey || (state.isPlaying && !isEnd())) return;
    event.preventDefault();
    turned += deltaY;
    if (Math.abs(turned) < WHEEL) return;
    const { current } = state.game;
    go(turned < 0 ? current.parent : current.children[0]);
    turned = 0;
  }, { passive: false });
}

/** What a wheel turns for one move. */
const WHEEL = 60;

/** Offers once to be installed, where the browser can. */
function offerInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    if (recall("installOffered")) return;
    const { texts } = locale;
    const done = () => {
      offer.hidden = true;
      remember("installOffered", true);
    };
    const install = () => {
      done();
      void (event as Event & { prompt(): Promise<void> }).prompt();
    };
    offer.replaceChildren(texts.installOffer, " ", button(texts.install, install, { class: "primary" }), button(texts.notNow, done));
    offer.hidden = false;
  });
}

/** Milliseconds for which the last move is looked at before a dialog covers the board. */
const LAST_LOOK = 700;

function hear(what: "move" | "pass" | "end"): void {
  if (settings.hasSounds) void import("./later").then(({ sound }) => sound(what)).catch(() => {});
  if (what !== "end" || settings.human === "both" || !state.isPlaying) return;
  const { current } = state.game;
  setTimeout(async () => {
    const { showEnd } = await import("./later");
    if (state.game.current === current && isEnd() && !document.querySelector("dialog")) await showEnd();
  }, LAST_LOOK);
}

async function startPage(): Promise<void> {
  await setLanguage(preferredLanguage());
  document.body.append(header, h("main", {}, playView, h("div", { class: "panels" }, message, offer, proofView, panelsView, movesView)), live);
  drawWith(render);
  speakWith((words) => (live.textContent = words));
  keysWith(key);
  listen(hear);
  make();
  // What is seen comes first: the engine is loaded behind it.
  void painted().then(() => {
    player.warm();
    keepOffline();
  });
  await openFirst();
  takeAnything();
  watchKeys();
  watchClocks(renderSides, timeIsUp);
  keepOnLeaving();
  offerInstall();
  redraw();
  void answer();
  document.documentElement.dataset["ready"] = "";
}

/** When the page has been seen first. */
const painted = (): Promise<void> => new Promise((go) => {
  new PerformanceObserver((_, observer) => {
    observer.disconnect();
    go();
  }).observe({ type: "paint", buffered: true });
});

/** The site works without a network from then on. */
function keepOffline(): void {
  if (!("serviceWorker" in navigator) || !location.protocol.startsWith("http") || document.getElementById("part0")) return;
  navigator.serviceWorker.register("sw.js").catch(() => {});
}

let isNaming = false;

/** Once there is a move, the list of openings is loaded; the page answers first. */
function nameOpenings(): void {
  if (isNaming || !state.game.current.parent) return;
  isNaming = true;
  setTimeout(async () => {
    const { openingOf, prepareOpenings } = await import("./openings");
    await prepareOpenings();
    nameOpeningsWith(openingOf);
    later();
  }, 500);
}

void startPage();
// For tests: what a lack of memory does.
Object.assign(globalThis, { emilia: { kill: killAll } });
