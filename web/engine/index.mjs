// Emilia with promises, over `worker.mjs`. One request at a time is with the worker, whose messages bear its number. What
// ends a request before its answer ends the worker; the next request starts another.

// Not by an import, which bundlers for browsers cannot resolve.
const WorkerClass = globalThis.process?.getBuiltinModule?.("node:worker_threads").Worker ?? globalThis.Worker;
const ANALYSIS = { depth: 14, exact: 24, wld: 26, hash_mb: 256 };

function infoOf(line) {
  const words = line.split(" ");
  if (words[0] !== "info" || words[1] !== "depth") return undefined;
  const after = (word) => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
  const exact = after("exact");
  return {
    depth: Number(after("depth")),
    multipv: Number(after("multipv")),
    score: exact === undefined ? Number(after("cp")) / 100 : Number(exact),
    exact: exact !== undefined,
    value: after("wld"),
    nodes: Number(after("nodes")),
    pv: words.slice(words.indexOf("pv") + 1),
  };
}

/** Node and browsers have different events. */
function listen(worker, hear, fail) {
  const ended = () => fail(new Error("the worker has ended"));
  if (worker.on) {
    worker.on("message", hear).on("error", fail).on("exit", ended);
  } else {
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = ({ message }) => (message ? fail(new Error(message)) : ended());
  }
}

export class Emilia {
  #startWorker;
  #worker;
  /** Those that are not settled; the first is with the worker. */
  #tasks = [];
  #count = 0;

  constructor({ worker = () => new WorkerClass(new URL("./worker.mjs", import.meta.url), { type: "module" }) } = {}) {
    this.#startWorker = worker;
  }

  /** `hear` takes each reply to the request; the promise is kept when the worker has done it. */
  #ask(request, signal, hear) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => this.#end(task, () => reject(signal.reason));
      const settled = () => signal?.removeEventListener("abort", abort);
      const task = { request, hear, resolve, reject, settled };
      signal?.addEventListener("abort", abort);
      this.#tasks.push(task);
      if (this.#tasks.length === 1) this.#post();
    });
  }

  /** Hands the first task to the worker. */
  #post() {
    const [task] = this.#tasks;
    if (!task) return;
    try {
      this.#worker ??= this.#open();
      task.id = ++this.#count;
      this.#worker.postMessage({ id: task.id, ...task.request });
    } catch (error) {
      this.#end(task, () => task.reject(error));
    }
  }

  #open() {
    const worker = this.#startWorker();
    const fail = (error) => {
      if (worker !== this.#worker) return;
      const [task] = this.#tasks;
      this.#stop();
      if (task) this.#end(task, () => task.reject(error));
    };
    listen(worker, (message) => (message.failed === undefined ? this.#hear(message) : fail(new Error(message.failed))), fail);
    return worker;
  }

  #hear({ id, isDone, ...reply }) {
    const [task] = this.#tasks;
    if (task?.id !== id) return;
    try {
      if (isDone) this.#end(task, task.resolve, true);
      else task.hear(reply);
    } catch (error) {
      this.#end(task, () => task.reject(error));
    }
  }

  /** Takes a task off the list and settles it. */
  #end(task, settle, isIdle = false) {
    const place = this.#tasks.indexOf(task);
    if (place < 0) return;
    this.#tasks.splice(place, 1);
    task.settled();
    if (place === 0 && !isIdle) this.#stop();
    settle();
    if (place === 0) this.#post();
  }

  #stop() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async search(position, { go, level = 0, rating = 0, signal, report } = {}) {
    if (level && rating) throw new RangeError("level and rating exclude each other");
    // A level ends its search by itself.
    const limits = String(go ?? "").trim() || (level || rating ? "" : "depth 12");
    const strength = [`setoption name Level value ${level}`, `setoption name Rating value ${rating}`];
    const lines = [];
    let best, error;
    // The search of a game that is over may wait for a stop.
    await this.#ask({ lines: [...strength, `position ${position}`, `go ${limits}`, "stop"] }, signal, ({ line }) => {
      const info = infoOf(line);
      if (info) {
        lines[info.multipv - 1] = info;
        report?.(info);
      }
      if (line.startsWith("info string error")) error ??= line.slice(18);
      best ??= /^bestmove (\S+)/.exec(line)?.[1];
    });
    if (error || !best) throw new Error(error ?? "the search has no answer");
    return { best, lines };
  }

  solve(position, goal = "exact", options = {}) {
    return this.search(position, { ...options, go: goal });
  }

  async analyze(start, moves, { signal, hashMb, ...effort } = {}) {
    const request = { ...ANALYSIS, ...effort, start, moves };
    if (hashMb !== undefined) request.hash_mb = hashMb;
    let last = {};
    await this.#ask({ analysis: JSON.stringify(request) }, signal, ({ answer }) => (last = JSON.parse(answer)));
    if (!last.report) throw new Error(last.error ?? "the analysis has no answer");
    return last.report;
  }

  async games(text) {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    if (!(bytes instanceof Uint8Array)) throw new TypeError("games are read from a text or a Uint8Array");
    let found;
    await this.#ask({ games: bytes }, undefined, ({ answer }) => (found = JSON.parse(answer)));
    return found;
  }

  close() {
    this.#stop();
    for (const task of this.#tasks.splice(0)) {
      task.settled();
      task.reject(new Error("the engine was closed"));
    }
  }
}
