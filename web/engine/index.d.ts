/** A search line; scores are discs for the side to move. */
export interface Info {
  depth: number;
  multipv: number;
  score: number;
  /** Is the score proven to the disc? */
  exact: boolean;
  value?: "win" | "draw" | "loss";
  nodes: number;
  pv: string[];
}
export interface Result {
  best: string;
  /** The last line for each best move, the best one first. */
  lines: Info[];
}
export interface SearchOptions {
  /** Ends the search: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  report?: (info: Info) => void;
  /** Limits, in the words of `go` in PROTOCOL.md, such as `depth 12` or `movetime 1000`. */
  go?: string;
}
export interface AnalysisOptions {
  signal?: AbortSignal;
  depth?: number;
  exact?: number;
  wld?: number;
  hashMb?: number;
  /** Says what players of this rating, 1 to 3000, find as well: `share`, `hard`, `remark`, and how strong both sides look. */
  rating?: number;
}
/** One engine in one worker; calls are done one after the other. */
export class Emilia {
  constructor();
  /** `position` in the words of PROTOCOL.md: `startpos moves f5 d6`, or `board CELLS SIDE`. */
  search(position: string, options?: SearchOptions): Promise<Result>;
  /** Solves to the disc, or for who wins. */
  solve(position: string, goal?: "exact" | "wld", options?: SearchOptions): Promise<Result>;
  /** The analysis of a game as `emilia analyze --json` has it. `start`: `startpos`, or 64 cells and the side to move. */
  analyze(start: string, moves: string, options?: AnalysisOptions): Promise<unknown>;
  /** The games of a text or file of any kind that Emilia reads. */
  games(text: string | Uint8Array): Promise<unknown>;
  /** Ends the worker. */
  close(): void;
}
