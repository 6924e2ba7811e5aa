// The checker of proofs in a worker: the module of web/checker, without the engine.

interface Checker {
  memory: WebAssembly.Memory;
  buffer(length: number): number;
  check(): void;
  look_up(mover: bigint, other: bigint, rootsTurn: number): void;
}

let checker: Checker | undefined;
const host = {
  answer(start: number, length: number) {
    postMessage(JSON.parse(new TextDecoder().decode(new Uint8Array(checker!.memory.buffer, start, length))));
  },
};

onmessage = ({ data }: MessageEvent) => {
  try {
    if (data.module) checker = new WebAssembly.Instance(data.module, { host }).exports as unknown as Checker;
    if (data.proof) {
      const bytes = data.proof as Uint8Array;
      const start = checker!.buffer(bytes.length);
      new Uint8Array(checker!.memory.buffer, start, bytes.length).set(bytes);
      checker!.check();
    }
    if (data.board) checker!.look_up(data.board[0], data.board[1], data.board[2]);
  } catch (error) {
    postMessage({ error: String((error as Error).message) });
  }
};
