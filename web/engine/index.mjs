// Emilia with promises, over `worker.mjs`. A search that is aborted ends its worker; the next call starts another.

const isNode = typeof process !== "undefined" && process.versions?.node;
const WorkerClass = isNode ? (await import("node:worker_threads")).Worker : globalThis.Worker;
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

export class Emilia {
  #worker;
  #queue = Promise.resolve();

  #open(hear) {
    this.#worker ??= new WorkerClass(new URL("./worker.mjs", import.meta.url), { type: "module" });
    const worker = this.#worker;
    const take = (data) => hear(data?.failed === undefined ? undefined : new Error(data.failed), data);
    if (isNode) {
      worker.removeAllListeners();
      worker.on("message", take);
      worker.on("error", (error) => hear(error));
    } else {
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = (event) => hear(new Error(event.message || "the worker has ended"));
    }
    return worker;
  }

  #once(messages, signal, hear) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const fail = (error) => {
        this.close();
        reject(error);
      };
      const abort = () => fail(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });
      const worker = this.#open((error, data) => {
        if (error) return fail(error);
        let answer;
        try {
          answer = hear(data);
        } catch (wrong) {
          signal?.removeEventListener("abort", abort);
          return reject(wrong);
        }
        if (answer === undefined) return;
        signal?.removeEventListener("abort", abort);
        resolve(answer);
      });
      messages.forEach((message) => worker.postMessage(message));
    });
  }

  #ask(messages, signal, hear) {
    const asked = this.#queue.then(() => this.#once(messages, signal, hear));
    this.#queue = asked.catch(() => {});
    return asked;
  }

  search(position, { go = "depth 12", signal, report } = {}) {
    const lines = [];
    return this.#ask([`position ${position}`, `go ${go}`], signal, (line) => {
      if (typeof line !== "string") return undefined;
      if (line.startsWith("info string error")) throw new Error(line.slice(18));
      const info = infoOf(line);
      if (info) {
        lines[info.multipv - 1] = info;
        report?.(info);
      }
      const best = /^bestmove (\S+)/.exec(line);
      return best ? { best: best[1], lines } : undefined;
    });
  }

  solve(position, goal = "exact", options = {}) {
    return this.search(position, { ...options, go: goal });
  }

  analyze(start, moves, { signal, hashMb, ...effort } = {}) {
    const request = { ...ANALYSIS, ...effort, start, moves };
    if (hashMb !== undefined) request.hash_mb = hashMb;
    return this.#ask([{ analysis: JSON.stringify(request) }], signal, ({ answer }) => {
      const { report, error } = JSON.parse(answer);
      if (error) throw new Error(error);
      return report;
    });
  }

  games(text) {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    return this.#ask([{ games: bytes }], undefined, ({ answer }) => JSON.parse(answer));
  }

  close() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
