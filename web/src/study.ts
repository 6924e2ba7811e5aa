// Scores of all moves of a position by several workers, each with a part of the moves.

import { Engine, type Info } from "./engine";
import type { Resources } from "./resources";
import { type Position, type Square, legalMoves, nameOf, squareOf } from "./rules";

/** Workers that a device bears beside the page: half a gigabyte of memory holds about four. */
export function workersOf(cores: number, gigabytes: number): number {
  return Math.max(1, Math.min(cores - 1, gigabytes < 4 ? 1 : gigabytes < 8 ? 2 : 4));
}

export class Study {
  readonly values = new Map<Square, Info>();
  private readonly engines: Engine[];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    resources: Resources,
    private readonly changed: () => void,
    private readonly failed: (reason: string) => void,
  ) {
    const { hardwareConcurrency = 2 } = navigator;
    const gigabytes = (navigator as { deviceMemory?: number }).deviceMemory ?? 8;
    const count = workersOf(hardwareConcurrency, gigabytes);
    this.engines = Array.from({ length: count }, () => new Engine(resources));
  }

  get isRunning(): boolean {
    return this.timer !== undefined || this.engines.some((engine) => engine.isBusy);
  }

  /** The depth that all moves have reached. */
  get depth(): number {
    return Math.min(...[...this.values.values()].map(({ depth }) => depth));
  }

  get nodes(): number {
    return this.engines.reduce((sum, _, i) => sum + (this.nodesOf[i] ?? 0), 0);
  }

  private nodesOf: number[] = [];

  start(position: Position): void {
    this.stop();
    this.values.clear();
    this.nodesOf = [];
    const moves = legalMoves(position);
    if (!moves.length) return;
    // Who only turns pages starts no search.
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.engines.forEach((engine, i) => {
        const own = moves.filter((_, at) => at % this.engines.length === i);
        if (own.length) void this.run(engine, i, position, own);
      });
    }, 150);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.engines.forEach((engine) => engine.stop());
  }

  kill(): void {
    this.engines.forEach((engine) => engine.kill());
  }

  private async run(engine: Engine, index: number, position: Position, moves: Square[]): Promise<void> {
    const report = (info: Info) => {
      const square = squareOf(info.pv[0] ?? "");
      if (square === undefined || !moves.includes(square)) return;
      this.values.set(square, info);
      this.nodesOf[index] = info.nodes;
      this.changed();
    };
    const go = `depth 60 multipv ${moves.length} searchmoves ${moves.map(nameOf).join(" ")}`;
    try {
      await engine.search(position, go, { report });
      this.changed();
    } catch (error) {
      this.failed((error as Error).message);
    }
  }
}
