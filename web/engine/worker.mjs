// Emilia in a web worker, or in a worker thread of Node, that loads `emilia.wasm`, `weights.bin` and `people.bin`
// from beside this file: lines of PROTOCOL.md go in as messages, and replies come out as messages, one for each line.
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

import { attach } from "./host.mjs";

// Not by imports, which bundlers for browsers cannot resolve.
const builtin = globalThis.process?.getBuiltinModule;
const port = builtin?.("node:worker_threads").parentPort ?? globalThis;

async function bytesOf(name) {
  const url = new URL(name, import.meta.url);
  if (builtin) return builtin("node:fs/promises").readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`cannot load ${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const load = async () => [
  await WebAssembly.compile(await bytesOf("./emilia.wasm")),
  [await bytesOf("./weights.bin")],
  await bytesOf("./people.bin"),
];
const receive = attach(port, load);
if (port.on) {
  port.on("message", receive);
} else {
  port.onmessage = ({ data }) => receive(data);
}
