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
  /** The best move, `pass`, or `none` where the game is over. */
  best: string;
  /** The last line for each best move, the best one first. */
  lines: Info[];
}
export interface SearchOptions {
  /** Ends the search: the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  report?: (info: Info) => void;
  /** Limits, in the words of `go` in PROTOCOL.md, such as `movetime 1000`. Without any: those of the level or rating, or `depth 12`. */
  go?: string;
  /** Chooses the move as this level does, 1 (a beginner) to 22; 0 or none: at full strength. */
  level?: number;
  /** The same by rating, 1 to 3000: people of that strength play so, an average tournament player has 1500; 0 or none: at full strength. */
  rating?: number;
}
export interface AnalysisOptions {
  signal?: AbortSignal;
  depth?: number;
  exact?: number;
  wld?: number;
  hashMb?: number;
  /** Says what players of this rating, 1 to 3000, find as well: `share`, `hard`, `remark`, and how strong both sides look. */
  rating?: number;
  /** The names of the players. */
  black?: string;
  white?: string;
}
/** What there is to say about a move; scores are discs for the side that moved. */
export interface MoveReport {
  number: number;
  side: "X" | "O";
  /** The 64 cells before the move. */
  board: string;
  played: string;
  /** With best play, and after the move that was played. */
  before: number;
  after: number;
  before_text: string;
  after_text: string;
  loss: number;
  /** Are both scores proven to the disc? */
  exact: boolean;
  /** Who wins, for the side that moved, where that is proven. */
  value_before?: "win" | "draw" | "loss";
  value_after?: "win" | "draw" | "loss";
  best: string;
  /** Best play, with blanks between the moves. */
  line: string;
  gift?: string;
  gift_text?: string;
  /** With a rating: the share of such players who play the move, who lose two discs or more, and who play each move. */
  share?: number;
  hard?: number;
  shares?: Record<string, number>;
  remark?: string;
  remark_text?: string;
}
/** How strong a side looks, where a rating was given. */
export interface SideReport {
  rating: number;
  moves: number;
  likelihood: number[];
  estimate?: number;
  error?: number;
}
export interface GameReport {
  source: string;
  black: string;
  white: string;
  result: string;
  opening?: string;
  black_strength?: SideReport;
  white_strength?: SideReport;
  moves: MoveReport[];
}
export interface FoundGame {
  black: string;
  white: string;
  event: string;
  date: string;
  /** Where in the text it is. */
  place: string;
  /** 64 cells and the side to move. */
  start: string;
  moves: string;
  result: string;
}
export interface Games {
  /** What kind of text it is, unless it cannot be read. */
  kind?: string;
  games: FoundGame[];
  /** Games beyond the first thousand. */
  more?: number;
  errors: string[];
  warnings?: string[];
}
/** What a worker of the browser and one of Node have in common. */
export interface EngineWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
}
/** One engine in one worker; calls are done one after the other. */
export class Emilia {
  /** `worker` starts `worker.mjs` where it does not lie beside this file, as in a bundle. */
  constructor(options?: { worker?: () => EngineWorker });
  /** `position` in the words of PROTOCOL.md: `startpos moves f5 d6`, or `board CELLS SIDE`. */
  search(position: string, options?: SearchOptions): Promise<Result>;
  /** Solves to the disc, or for who wins. */
  solve(position: string, goal?: "exact" | "wld", options?: SearchOptions): Promise<Result>;
  /** The analysis of a game as `emilia analyze --json` has it. `start`: `startpos`, or 64 cells and the side to move. */
  analyze(start: string, moves: string, options?: AnalysisOptions): Promise<GameReport>;
  /** The games of a text or file of any kind that Emilia reads. */
  games(text: string | Uint8Array): Promise<Games>;
  /** Ends the worker; calls without an answer are rejected. A later call starts another worker. */
  close(): void;
}
