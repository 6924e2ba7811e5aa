// Talks to the worker in a browser without a window, as talk.mjs does in Node: lines of standard
// input go to it, replies to standard output.
//
//   node browser.mjs chromium < lines        The line `wait MS` waits so many milliseconds; `stop` also sets the flag.
//
// Serves this folder to the browser, with the headers by which a page is cross-origin isolated and
// has shared memory.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

// In the page: `isready` is the last line, so its answer is the last reply.
const script = `
const end = (replies) => fetch("end", { method: "POST", body: replies });
const engine = new Worker("worker.mjs", { type: "module" });
const stop = new Int32Array(new SharedArrayBuffer(4));
const replies = [];
engine.onerror = ({ message }) => end("the worker failed: " + message);
engine.onmessage = ({ data }) => {
  if (data === "readyok") {
    end(replies.join("\\n"));
  } else {
    replies.push(data);
  }
};
engine.postMessage(stop);
for (const line of await (await fetch("lines")).json()) {
  const wait = /^wait (\\d+)$/.exec(line);
  if (wait) {
    await new Promise((resolve) => setTimeout(resolve, Number(wait[1])));
    continue;
  }
  if (line === "stop") {
    Atomics.store(stop, 0, 1);
  }
  engine.postMessage(line);
}
engine.postMessage("isready");
`;

const lines = (await text(process.stdin)).split("\n").filter((line) => line);
const file = (name) => readFile(new URL(name, import.meta.url));
const answers = {
  "/": ["text/html", () => `<!doctype html><script type="module">${script}</script>`],
  "/lines": ["application/json", () => JSON.stringify(lines)],
  "/worker.mjs": ["text/javascript", () => file("worker.mjs")],
  "/host.mjs": ["text/javascript", () => file("host.mjs")],
  "/emilia.wasm": ["application/wasm", () => file("emilia.wasm")],
  "/people.bin": ["application/octet-stream", () => file("people.bin")],
  "/weights.bin": ["application/octet-stream", () => file("weights.bin")],
};
const server = createServer(async (request, response) => {
  if (request.url === "/end") {
    const replies = await text(request);
    response.end();
    process.stdout.write(`${replies}\n`);
    browser.kill();
    return;
  }
  const [type, answer] = answers[request.url] ?? ["text/plain", () => ""];
  response.writeHead(type === "text/plain" ? 404 : 200, {
    "Content-Type": type,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
  });
  response.end(await answer());
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const profile = mkdtempSync(join(tmpdir(), "emilia-browser-"));
const quiet = ["gpu", "quic", "background-networking", "component-update", "sync"];
const browser = spawn(process.argv[2] ?? "chromium", [
  "--headless",
  "--no-sandbox",
  "--no-first-run",
  ...quiet.map((what) => `--disable-${what}`),
  `--user-data-dir=${profile}`,
  `http://127.0.0.1:${server.address().port}/`,
], { stdio: "ignore" });
browser.on("error", (error) => console.error(String(error)));
browser.on("close", () => {
  // Other processes of the browser write for some time.
  rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  process.exit();
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => browser.kill());
}
