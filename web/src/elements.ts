// What the page makes of elements, beside what it shares with the page of `emilia analyze`.

import { type Attributes, h, svg } from "../../src/analysis/page/dom.js";

export { h, svg };

export const button = (text: string, onclick: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, text);

/** `+4`, in whole discs, with a true minus. */
export function scoreText(score: number): string {
  const discs = Math.round(score);
  return (discs < 0 ? "\u2212" : "+") + Math.abs(discs);
}
