// The panels beside the board, one of which is open. Those that the first game does not need are loaded when they are opened.

import { button, h, set } from "../elements";
import { type Tab, fault, later, locale, redraw, state } from "../state";
import { LoadError } from "../resources";
import { makeStart, renderStart, startView } from "./start";

/** What a panel consists of. */
export interface Panel {
  elements: HTMLElement[];
  make(): void;
  render(): void;
}

const LOADERS: Record<Tab, () => Promise<Panel>> = {
  play: async () => start,
  study: async () => (await import("../later")).study,
  games: async () => (await import("../later")).games,
  train: async () => (await import("../train")).panel,
};

const start: Panel = { elements: [startView], make: makeStart, render: renderStart };
const loaded: Partial<Record<Tab, Panel>> = { play: start };
const loading: Partial<Record<Tab, Promise<Panel | undefined>>> = {};
const TABS: Tab[] = ["play", "study", "games", "train"];

const tabs = h("div", { class: "tabs", role: "tablist" });
const place = h("div", { class: "panel", role: "tabpanel" }, startView);
export const panelsView = h("div", { class: "panel-area" }, tabs, place);

export function makePanels(): void {
  const { texts } = locale;
  tabs.setAttribute("aria-label", texts.panels);
  place.setAttribute("aria-label", texts.panels);
  tabs.replaceChildren(...TABS.map((tab) => button(texts.tabs[tab], () => open(tab), { role: "tab", id: `tab-${tab}` })));
  Object.values(loaded).forEach((panel) => panel.make());
  shownTab = undefined;
}

tabs.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.stopPropagation();
  event.preventDefault();
  const to = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length]!;
  open(to);
  document.getElementById(`tab-${to}`)!.focus();
});

export function open(tab: Tab): void {
  state.tab = tab;
  redraw();
}

/** Loads a panel, once; it is drawn when it is there. */
export const load = (tab: Tab): Promise<Panel | undefined> => (loading[tab] ??= loadNow(tab));

async function loadNow(tab: Tab): Promise<Panel | undefined> {
  try {
    const panel = await LOADERS[tab]();
    panel.make();
    loaded[tab] = panel;
    later();
  } catch (error) {
    delete loading[tab];
    state.tab = "play";
    fault(new LoadError((error as Error).message));
  }
  return loaded[tab];
}

let shownTab: Tab | undefined;

export function renderPanels(): void {
  const { tab } = state;
  set(document.documentElement, "data-tab", tab);
  const panel = loaded[tab];
  if (!panel) void load(tab);
  for (const one of TABS) {
    const isOpen = one === tab;
    const button = document.getElementById(`tab-${one}`);
    set(button, "aria-selected", String(isOpen));
    set(button, "tabindex", isOpen ? "0" : "-1");
  }
  if (panel && shownTab !== tab) {
    place.replaceChildren(...panel.elements);
    shownTab = tab;
  }
  panel?.render();
}
