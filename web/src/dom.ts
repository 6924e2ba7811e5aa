// Elements in few words. Text only ever becomes text: no name or link can become markup.

type Attributes = Record<string, string | number | boolean | undefined | ((event: any) => void)>;
type Child = globalThis.Node | string | undefined | false;

function fill<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children.filter((child): child is globalThis.Node | string => child !== undefined && child !== false));
  return element;
}

export const h = <K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]) =>
  fill(document.createElement(name), attributes, children);

export const svg = (name: string, attributes: Attributes = {}, ...children: Child[]) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const button = (text: string, onclick: () => void, attributes: Attributes = {}) =>
  h("button", { type: "button", onclick, ...attributes }, text);

/** `+4` if it is exact, `+4.2` if not, with a true minus. */
export function scoreText(score: number, isExact: boolean): string {
  const text = isExact ? String(Math.abs(score)) : Math.abs(Math.round(score * 10) / 10).toFixed(1);
  return (Math.round(score * 10) < 0 ? "\u2212" : "+") + text;
}
