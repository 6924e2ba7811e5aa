// Emilia in a web worker, or in a worker thread of Node: lines of PROTOCOL.md go in as messages,
// and replies come out as messages, one for each line.
//
//   const engine = new Worker("worker.mjs", { type: "module" });
//   engine.onmessage = ({ data }) => console.log(data);
//   engine.postMessage("go depth 8");
//
// A search holds the worker until it is done. To be able to stop one, first send a flag:
//
//   const stop = new Int32Array(new SharedArrayBuffer(4));
//   engine.postMessage(stop);
//   Atomics.store(stop, 0, 1); engine.postMessage("stop");   // ends the search that runs
//
// The flag is taken back when the worker reads its next line. (Browsers have shared memory on
// pages that are cross-origin isolated; on others, use limits, or end the worker.)

const isNode = typeof process !== "undefined" && process.versions?.node;
const port = isNode ? (await import("node:worker_threads")).parentPort : globalThis;
const send = (line) => port.postMessage(line);

async function loadModule() {
  const url = new URL("./emilia.wasm", import.meta.url);
  if (isNode) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  return WebAssembly.compileStreaming(fetch(url));
}

let stop = new Int32Array(1);
let engine;
const host = {
  print(start, length) {
    const bytes = new Uint8Array(engine.memory.buffer, start, length);
    new TextDecoder().decode(bytes).split("\n").forEach(send);
  },
  now: () => performance.now(),
  random: Math.random,
  wants_stop: () => Atomics.load(stop, 0),
};

function take(message) {
  if (message instanceof Int32Array) {
    stop = message;
    return;
  }
  Atomics.store(stop, 0, 0);
  const line = new TextEncoder().encode(String(message));
  const start = engine.line_buffer(line.length);
  new Uint8Array(engine.memory.buffer, start, line.length).set(line);
  if (!engine.take_line()) {
    isNode ? process.exit(0) : close();
  }
}

// Messages that come while the module loads wait for it.
const ready = loadModule().then(async (module) => {
  engine = (await WebAssembly.instantiate(module, { host })).exports;
});
const receive = (message) => ready.then(() => take(message));
if (isNode) {
  port.on("message", receive);
} else {
  port.onmessage = ({ data }) => receive(data);
}
