// Scores of all moves of a position by several workers, each with a part of the moves.

import type { Engine, Info } from "./engine";
import { type Position, type Square, legalMoves, nameOf, squareOf } from "./rules";
import type { Team } from "./team";

export class Study {
  readonly values = new Map<Square, Info>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isOn = false;

  constructor(
    private readonly team: Team,
    private readonly changed: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The depth that all moves have reached. */
  get depth(): number {
    return Math.min(...[...this.values.values()].map(({ depth }) => depth));
  }

  get nodes(): number {
    return this.nodesOf.reduce((sum, nodes) => sum + (nodes ?? 0), 0);
  }

  private nodesOf: number[] = [];

  start(position: Position): void {
    this.stop();
    this.values.clear();
    this.nodesOf = [];
    this.isOn = true;
    const moves = legalMoves(position);
    if (!moves.length) return;
    // Who only turns pages starts no search.
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const { engines } = this.team;
      engines.forEach((engine, i) => {
        const own = moves.filter((_, at) => at % engines.length === i);
        if (own.length) void this.run(engine, i, position, own);
      });
    }, 150);
  }

  /** Ends the searches; the values that were found stay. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isOn) this.team.stop();
    this.isOn = false;
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
      this.failed(error);
    }
  }
}
