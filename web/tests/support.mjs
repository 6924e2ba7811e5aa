// What the tests share: the system's Chromium, the built page, a server for the site.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { chromium, firefox } from "playwright-core";
import { attach } from "../engine/host.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const dist = `${root}web/dist`;
export const oneFile = pathToFileURL(`${dist}/emilia.html`).href;
const found = (paths) => paths.find((path) => path && existsSync(path));
export const executablePath = found([process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]);
const firefoxPath = found([process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"]);

/** BROWSER=firefox runs the tests in Firefox, without those that need what its remote control lacks. */
export const isFirefox = process.env.BROWSER === "firefox";

/** A module of the page, for Node. */
export function bundled(entry) {
  const options = { bundle: true, write: false, format: "esm", loader: { ".tsv": "text" } };
  const text = buildSync({ entryPoints: [`${root}web/src/${entry}`], ...options }).outputFiles[0].text;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}

/** The module in this process: what it answers to a message. The book is there. */
export async function directly() {
  const file = (name) => readFileSync(`${dist}/engine/${name}`);
  const said = [];
  const load = async () => [await WebAssembly.compile(file("emilia.wasm")), [file("weights.bin")], file("people.bin")];
  const take = attach({ postMessage: (message) => said.push(message), close() {} }, load);
  const ask = async (message) => {
    said.length = 0;
    await take(message);
    const failed = said.find((one) => one.failed);
    if (failed) throw new Error(failed.failed);
    return said[0]?.answer && JSON.parse(said[0].answer);
  };
  await ask({ book: readFileSync(`${root}src/book/builtin.book`) });
  return ask;
}

export const launch = () =>
  isFirefox ? firefox.launch({ channel: "moz-firefox", executablePath: firefoxPath }) : chromium.launch({ executablePath, args: ["--no-sandbox"] });

/**
 * A page on which every error of a script, and every breach of the policy, is noted; `cores`: those that the page sees;
 * `prepare`: what is done with the page before it is opened; `isReport`: it is a page of `emilia analyze`.
 */
export async function openPage(browser, url, { cores, prepare, isReport, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", ...options });
  if (cores) await context.addInitScript((cores) => Object.defineProperty(navigator, "hardwareConcurrency", { value: cores }), cores);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  await prepare?.(page);
  await page.goto(url);
  if (!isReport) await isReady(page);
  return page;
}

export const cell = (page, square) => page.locator(`.left:not(.training) [role=gridcell][aria-label^="${square},"]`);
/** The game of this visit is there. */
export const isReady = (page) => page.locator("html[data-ready]").waitFor({ state: "attached" });

/** Where what is not about the first game stands. */
const PANELS = {
  Study: /^(Values of all moves|Solve exactly|Win, draw or loss|Analyse the game|Stop)$/,
  Play: /^Resign$/,
  Games: /^(Read|Open a file|Set up a position|Copy .*|Save (?!progress).*|Print)$/,
};

export async function openPanel(page, name) {
  const tab = page.getByRole("tab", { name, exact: true });
  if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
}

/** Clicks a button, in its panel if it has one. */
export async function click(page, name) {
  for (const [panel, buttons] of Object.entries(PANELS)) if (buttons.test(name)) await openPanel(page, panel);
  await page.getByRole("button", { name, exact: true }).click();
}
export const status = (page) => page.locator(".status").textContent();
export const moveNames = (page) => page.locator(".moves .move").allTextContents();

export async function paste(page, text) {
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { bubbles: true });
    // Firefox takes no data from a script.
    Object.defineProperty(event, "clipboardData", { value: data });
    document.body.dispatchEvent(event);
  }, text);
}

export async function drop(page, name, bytes) {
  await page.evaluate(([name, base64]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, Buffer.from(bytes).toString("base64")]);
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".png": "image/png", ".webmanifest": "application/manifest+json" };

const kept = new Map();
const packed = (file) => kept.get(file) ?? kept.set(file, gzipSync(readFileSync(file))).get(file);

/** The site on a port of this computer. */
export function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
    const file = dist + path;
    if (path.includes("..") || !existsSync(file)) return response.writeHead(404).end();
    // Packed as usual servers do; the weights are so already.
    const isPacked = extname(file) !== ".bin";
    const head = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...(isPacked && { "content-encoding": "gzip" }) };
    response.writeHead(200, head).end(isPacked ? packed(file) : readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}
