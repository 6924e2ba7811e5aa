// What the page makes of elements, beside what it shares with the page of `emilia analyze`.

import { type Attributes, h, svg } from "../../src/analysis/page/dom.js";

export { h, svg };

export const button = (text: string, onclick: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, text);

/** `+4` if it is exact, `+4.2` if not, with a true minus. */
export function scoreText(score: number, isExact: boolean): string {
  const text = isExact ? String(Math.abs(score)) : Math.abs(Math.round(score * 10) / 10).toFixed(1);
  return (Math.round(score * 10) < 0 ? "\u2212" : "+") + text;
}
