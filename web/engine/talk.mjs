// Talks to the worker from a terminal: lines of standard input go to it, replies to standard output.
//
//   node talk.mjs < lines        The line `wait MS` waits so many milliseconds; `stop` also sets the flag.

import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";

const engine = new Worker(new URL("./worker.mjs", import.meta.url));
const stop = new Int32Array(new SharedArrayBuffer(4));
engine.on("message", (line) => console.log(line));
engine.on("error", (error) => {
  console.error(String(error));
  process.exit(1);
});
engine.on("exit", (code) => process.exit(code));
engine.postMessage(stop);
for await (const line of createInterface({ input: process.stdin })) {
  const wait = /^wait (\d+)$/.exec(line);
  if (wait) {
    await new Promise((resolve) => setTimeout(resolve, Number(wait[1])));
    continue;
  }
  if (line === "stop") {
    Atomics.store(stop, 0, 1);
  }
  engine.postMessage(line);
}
engine.postMessage("quit");
