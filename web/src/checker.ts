// The checker of proofs in its worker, loaded when the first proof comes.

import type { Resources } from "./resources";
import { type Color, type Position, opponent } from "./rules";

declare const CHECKER_SOURCE: string;

/** What a claim's proof says about a position. */
export interface Claim {
  claim: string;
  claimant: boolean;
  said: string;
  move: string | null;
}

export interface Checked {
  percent?: number;
  proven?: string;
  report?: string;
  root?: string;
  wrong?: string;
  error?: string;
  /** The checker itself has not come. */
  missing?: Error;
  said?: Claim[];
}

const setOf = (cells: string, cell: string) => [...cells].reduce((set, at, i) => (at === cell ? set | (1n << BigInt(i)) : set), 0n);

/** A position of two sets in hexadecimal digits. */
function textOfSets(mover: string, other: string, side: Color): string {
  const [own, others] = [BigInt(`0x${mover}`), BigInt(`0x${other}`)];
  const has = (set: bigint, i: number) => (set >> BigInt(i)) & 1n;
  const cells = Array.from({ length: 64 }, (_, i) => (has(own, i) ? side : has(others, i) ? opponent(side) : "-")).join("");
  return `${cells} ${side}`;
}

/** The first bytes of a proof of version 1. */
const PROOF_MAGIC = "EMPROOF\x01";

export class Checker {
  private worker: Worker | undefined;
  /** Gets what the checker says. */
  hear: (checked: Checked) => void = () => {};

  constructor(private readonly resources: Resources) {}

  static isProof(bytes: Uint8Array): boolean {
    return new TextDecoder("latin1").decode(bytes.subarray(0, 8)) === PROOF_MAGIC;
  }

  check(proof: Uint8Array): void {
    // A new proof, a new worker: the memory of the old one goes.
    this.worker?.terminate();
    const worker = new Worker(URL.createObjectURL(new Blob([CHECKER_SOURCE], { type: "text/javascript" })));
    this.worker = worker;
    this.hear({ percent: 0 });
    worker.onerror = (event) => this.hear({ error: event.message });
    worker.onmessage = ({ data }) => {
      if (Array.isArray(data)) this.hear({ said: data });
      else this.hear(data.proven === undefined ? data : { ...data, root: textOfSets(data.mover, data.other, data.black_to_move ? "X" : "O") });
    };
    this.resources.checker().then(
      (module) => {
        worker.postMessage({ module });
        worker.postMessage({ proof });
      },
      (missing: Error) => this.hear({ missing }),
    );
  }

  lookUp({ cells, side }: Position, isRootsTurn: boolean): void {
    this.worker?.postMessage({ board: [setOf(cells, side), setOf(cells, opponent(side)), isRootsTurn ? 1 : 0] });
  }
}
