// Elements in few words. Text only ever becomes text: no name or link can become markup.

/** @typedef {Record<string, string | number | boolean | undefined | ((event: any) => void)>} Attributes */
/** @typedef {globalThis.Node | string | undefined | false} Child */

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

/**
 * An element of HTML. An attribute that is a function listens: `onclick`.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * An element of SVG.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/**
 * With a true minus, which is as wide as a plus.
 * @param {string} text
 */
export function minus(text) {
  return text.replaceAll("-", "\u2212");
}
