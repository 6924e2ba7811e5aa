// What the page makes of elements, beside what it shares with the page of `emilia analyze`.

import { type Attributes, h, svg } from "../../src/analysis/page/dom.js";

export { h, svg };

export const button = (text: string, onclick: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, text);

/** Sets what has changed alone: what has not makes the browser work all the same. */
export function set(element: Element | null | undefined, name: string, value: string): void {
  if (element && element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** The same of text. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** `+4`, in whole discs, with a true minus. */
export function scoreText(score: number): string {
  const discs = Math.round(score);
  return (discs < 0 ? "\u2212" : "+") + Math.abs(discs);
}
