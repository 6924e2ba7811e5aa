// Engines in workers. A search is ended by ending its worker: a new one, warm already, takes its place.

import type { Move, Strength } from "../../src/analysis/page/report.js";
import { type Position, count, textOf } from "./rules";
import { FEWEST_EMPTIES, type Resources } from "./resources";

declare const WORKER_SOURCE: string;

/** What is known of a move or a position; scores in discs for the side to move. */
export interface Info {
  depth: number;
  selectivity: number | undefined;
  rank: number;
  score: number;
  bound: "lower" | "upper" | undefined;
  exact: boolean;
  value: "win" | "draw" | "loss" | undefined;
  nodes: number;
  nps: number;
  time: number;
  pv: string[];
}

export function infoOf(line: string): Info | undefined {
  const words = line.split(" ");
  if (words[0] !== "info" || words[1] !== "depth") return undefined;
  const after = (word: string) => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
  const number = (word: string) => Number(after(word) ?? 0);
  const exact = after("exact");
  const bound = words.includes("lowerbound") ? "lower" : words.includes("upperbound") ? "upper" : undefined;
  return {
    depth: number("depth"),
    selectivity: after("selectivity") ? parseInt(after("selectivity")!) : undefined,
    rank: number("multipv"),
    score: exact === undefined ? number("cp") / 100 : Number(exact),
    bound,
    exact: exact !== undefined,
    value: after("wld") as Info["value"],
    nodes: number("nodes"),
    nps: number("nps"),
    time: number("time"),
    pv: words.includes("pv") ? words.slice(words.indexOf("pv") + 1) : [],
  };
}

export class EngineError extends Error {}

/** Who waits for so many stages of the weights. */
interface Waiting {
  stages: number;
  go: () => void;
  refuse: (error: Error) => void;
}

/** One worker with its module and its weights. */
class EngineWorker {
  /** Of the weights, those that are there; −1 until the module is. */
  stages = -1;
  /** Why it can do no more. */
  failed: EngineError | undefined;
  onmessage: ((data: unknown) => void) | undefined;
  private readonly worker: Worker;
  /** Its search goes on only as long as this is there: page-worker.ts. */
  private readonly leash = URL.createObjectURL(new Blob(["leash"], { type: "text/plain" }));
  private waiting: Waiting[] = [];
  private isLoading = false;
  /** Parts of the weights that it was given. */
  private parts = 0;
  private readonly has = new Set<Extra>();

  constructor(
    private readonly resources: Resources,
    private readonly wantsWeights: boolean,
    private readonly hashMb: number,
  ) {
    this.worker = new Worker(workerUrl());
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker has ended");
    this.post({ leash: this.leash });
    void this.load();
  }

  /** Gives it what it lacks. What does not come is asked for again with the next request. */
  private async load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      const { engine, parts } = this.resources;
      if (this.stages < 0) {
        this.post({ module: await engine() });
        this.stages = 0;
        this.release();
      }
      while (this.wantsWeights && this.parts < parts.length) {
        this.post({ part: await parts[this.parts]!() });
        this.parts += 1;
        // A copy takes a while on a slow device: the page answers in between.
        await new Promise((go) => setTimeout(go));
        if (this.parts === parts.length && this.hashMb) this.post(`setoption name Hash value ${this.hashMb}`);
      }
    } catch (error) {
      this.settle(({ stages }) => stages > this.parts || this.stages < 0, error as Error);
    }
    this.isLoading = false;
  }

  private hear(data: { stages?: number; failed?: string }): void {
    if (data.failed) return this.fail(data.failed);
    if (data.stages === undefined) return this.onmessage?.(data);
    this.stages = data.stages;
    this.release();
  }

  private fail(reason: string): void {
    this.failed = new EngineError(reason);
    this.onmessage?.({ failed: this.failed });
    this.release();
  }

  private release(): void {
    this.settle(({ stages }) => this.failed !== undefined || stages <= this.stages, this.failed);
  }

  /** Those of `isDue` wait no longer: they have what they need, unless there is an error. */
  private settle(isDue: (one: Waiting) => boolean, error?: Error): void {
    const due = this.waiting.filter(isDue);
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    due.forEach(({ go, refuse }) => (error ? refuse(error) : go()));
  }

  /** When so many stages of the weights are there; rejected if they do not come, or the worker has failed. */
  until(stages: number): Promise<void> {
    return new Promise((go, refuse) => {
      this.waiting.push({ stages, go, refuse });
      this.release();
      void this.load();
    });
  }

  /** The same with what else is needed, which is loaded then. */
  async untilWith(stages: number, extras: Extra[]): Promise<void> {
    const [, ...files] = await Promise.all([this.until(stages), ...extras.map((one) => this.resources[one]())]);
    extras.forEach((one, i) => {
      if (this.has.has(one)) return;
      this.has.add(one);
      this.post(one === "people" ? { model: files[i] } : { book: files[i] });
    });
  }

  post(message: unknown): void {
    this.worker.postMessage(message);
  }

  end(): void {
    URL.revokeObjectURL(this.leash);
    this.worker.terminate();
  }
}

let url: string | undefined;
const workerUrl = () => (url ??= URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" })));

/** Plies that a search may look ahead at least, or it waits for more weights. */
const SHALLOWEST = 4;

/** The model of people, and the opening book. */
type Extra = "people" | "book";

/** Stages of the weights by which boards of so many empty squares can be valued. */
const stagesFor = (empty: number): number => FEWEST_EMPTIES.findIndex((fewest) => fewest <= Math.max(0, empty));

/** Stages of the weights, and what else a question needs. */
interface Needs {
  stages: number;
  extras?: Extra[];
}

export interface EngineOptions {
  weights?: boolean;
  hashMb?: number;
  /** Told when a request has what it waited for. */
  loaded?: () => void;
}

/** An engine that does one thing at a time. */
export class Engine {
  private worker: EngineWorker | undefined;
  private standby: EngineWorker | undefined;
  private end: ((error: EngineError | undefined) => void) | undefined;

  constructor(
    private readonly resources: Resources,
    private readonly options: EngineOptions = {},
  ) {}

  private make(): EngineWorker {
    const { weights = true, hashMb = 16 } = this.options;
    return new EngineWorker(this.resources, weights, hashMb === 16 ? 0 : hashMb);
  }

  private get(): EngineWorker {
    if (this.worker?.failed) this.drop();
    if (this.worker) return this.worker;
    if (this.standby?.failed) this.standby.end();
    else this.worker = this.standby;
    this.standby = undefined;
    return (this.worker ??= this.make());
  }

  private drop(): void {
    this.worker?.end();
    this.worker = undefined;
  }

  get isBusy(): boolean {
    return this.end !== undefined;
  }

  /** Does a request wait for what it needs? */
  isLoading = false;

  /** Ends what runs; what it has found so far stays with the caller. */
  stop(): void {
    if (!this.end) return;
    this.drop();
    this.isLoading = false;
    const end = this.end;
    this.end = undefined;
    end(undefined);
    // Not now: whoever stops wants to go on at once.
    setTimeout(() => (this.standby ??= this.make()));
  }

  /** Loads the worker before it is needed. */
  warm(): void {
    this.get();
  }

  /** Ends the worker for a test of what happens then. */
  kill(): void {
    this.drop();
    const end = this.end;
    this.end = undefined;
    end?.(new EngineError("the worker was ended"));
  }

  /** Sends `messages` when what they need is there; `hear` says when the answer is complete. `false`: it was stopped before. */
  private ask(messages: unknown[], { stages, extras = [] }: Needs, hear: (data: any) => boolean): Promise<boolean> {
    this.stop();
    const worker = this.get();
    return new Promise((resolve, reject) => {
      const finish = (error?: Error) => {
        this.end = undefined;
        this.isLoading = false;
        worker.onmessage = undefined;
        if (worker.failed) this.drop();
        if (error) reject(error);
        else resolve(true);
      };
      this.end = (error) => (error ? reject(error) : resolve(false));
      worker.onmessage = (data) => {
        // A worker that was ended may still fail: another one has its place.
        if (this.worker !== worker) return;
        const failed = (data as { failed?: EngineError }).failed;
        if (failed || hear(data)) finish(failed);
      };
      this.isLoading = true;
      const send = () => {
        this.isLoading = false;
        this.options.loaded?.();
        messages.forEach((message) => worker.post(typeof message === "function" ? message(worker.stages) : message));
      };
      const ready = extras.length ? worker.untilWith(stages, extras) : worker.until(stages);
      ready.then(
        () => this.worker === worker && send(),
        (error: Error) => this.worker === worker && finish(error),
      );
    });
  }

  /**
   * Searches `position` with the words of `go`; the best move, or `undefined` if it was stopped. While weights are still
   * on their way, no deeper than those that are there reach.
   */
  async search(position: Position, go: string, options: SearchOptions = {}): Promise<string | undefined> {
    const { level = 0, rating = 0, report } = options;
    const { empty } = count(position);
    const isSolve = /\b(exact|wld)\b/.test(go);
    const stages = isSolve ? 3 : stagesFor(empty - SHALLOWEST);
    const limited = (loaded: number) => {
      const deepest = empty - FEWEST_EMPTIES[loaded]!;
      if (isSolve || loaded === 3) return `go ${go}`;
      const depth = /\bdepth (\d+)/.exec(go);
      return `go ${go.replace(/\bdepth \d+/, "")} depth ${Math.min(deepest, Number(depth?.[1] ?? 60))}`;
    };
    let best: string | undefined;
    const hear = (data: unknown) => {
      if (typeof data !== "string") return false;
      const info = infoOf(data);
      if (info) report?.(info);
      if (data.startsWith("info string error")) best = undefined;
      const found = /^bestmove (\S+)/.exec(data);
      if (found) best = found[1];
      return found !== null;
    };
    // The later one counts.
    const strength = [`setoption name Level value ${rating ? 0 : level}`, `setoption name Rating value ${rating}`];
    const lines = [...(rating ? strength : strength.reverse()), `position board ${textOf(position)}`, limited];
    return (await this.ask(lines, { stages, extras: level > 0 || rating > 0 ? ["people"] : [] }, hear)) ? best : undefined;
  }

  /** Proves an answer to a question about some moves; `undefined` if it was stopped. */
  async prove({ position, ...asked }: ProofRequest, report: (seen: Seen) => void): Promise<Proven | undefined> {
    let proven: Proven | undefined;
    let refused: string | undefined;
    await this.ask([{ question: JSON.stringify({ position: textOf(position), ...asked }) }], { stages: 3 }, (data) => {
      if (data.answer === undefined) return false;
      const answer = JSON.parse(data.answer);
      if (answer.seen) report(answer.seen);
      proven = answer.proven;
      refused = answer.error;
      return !answer.seen;
    });
    if (refused) throw new EngineError(refused);
    return proven;
  }

  /** The one answer to a message. */
  private async answer<T>(message: unknown, needs: Needs): Promise<T | undefined> {
    let answer: (T & { error?: string }) | undefined;
    await this.ask([message], needs, (data) => {
      answer = JSON.parse(data.answer);
      return true;
    });
    if (answer?.error) throw new EngineError(answer.error);
    return answer;
  }

  private last: Promise<unknown> = Promise.resolve();

  /** The same when what was asked before is answered: a short question ends no other one. */
  private inTurn<T>(message: unknown, needs: Needs): Promise<T | undefined> {
    const ask = () => this.answer<T>(message, needs);
    const mine = this.last.then(ask, ask);
    this.last = mine;
    return mine;
  }

  /** The games of a text or file. */
  games(bytes: Uint8Array): Promise<GamesAnswer | undefined> {
    return this.answer({ games: bytes }, { stages: 0 });
  }

  /** What players of a rating make of the moves of a position, and the book, if it is asked too. */
  async look(position: Position, rating: number, extras: Extra[] = ["people", "book"]): Promise<KnownMove[] | undefined> {
    const look = JSON.stringify({ position: textOf(position), rating });
    const found = await this.inTurn<{ moves: KnownMove[] }>({ look }, { stages: stagesFor(count(position).empty - 1), extras });
    return found?.moves;
  }

  /** The lines of the book that a side knows by heart who holds what can be held, those first in which most players go wrong. */
  async lines(position: Position, asked: { rating: number; learns: boolean; slack: number; most: number }): Promise<string[] | undefined> {
    const look = JSON.stringify({ position: textOf(position), ...asked });
    const found = await this.inTurn<{ lines: { moves: string }[] }>({ look }, { stages: 3, extras: ["people", "book"] });
    return found?.lines.map(({ moves }) => moves);
  }

  /** Analyses a game, as `emilia analyze --threads 1` does, perhaps with `--rating`. */
  async analyze(request: AnalysisRequest, report: (judged: Judged) => void): Promise<GameReport | undefined> {
    let found: GameReport | undefined;
    let refused: string | undefined;
    await this.ask([{ analysis: JSON.stringify(request) }], { stages: 3, extras: request.rating === undefined ? [] : ["people"] }, (data) => {
      if (data.answer === undefined) return false;
      const answer = JSON.parse(data.answer);
      if (answer.judged) report(answer.judged);
      found = answer.report;
      refused = answer.error;
      return !answer.judged;
    });
    if (refused) throw new EngineError(refused);
    return found;
  }
}

/** What is asked about the best of some moves: its score, who wins, or whether it is at least so many discs. */
export type Question = "exact" | "wld" | `>=${number}`;

export interface ProofRequest {
  position: Position;
  question: Question;
  moves: string[];
  hash_mb: number;
}

/** What a question's search sees while it runs. */
export interface Seen {
  depth: number;
  score: number;
  nodes: number;
  pv: string[];
}

/** The answer: proven bounds in discs for the side to move. */
export interface Proven {
  lower: number;
  upper: number;
  nodes: number;
  pv: string[];
}

/** What the book and people know of a move. */
export interface KnownMove {
  move: string;
  /** Of players who choose it. */
  share: number;
  /** In discs, for the side that plays it; `null`: the book does not know it. */
  score: number | null;
  exact: boolean;
  games: number;
  /** Has the book a position after it? */
  goesOn: boolean;
}

export interface SearchOptions {
  level?: number;
  /** Instead of a level. */
  rating?: number;
  report?: (info: Info) => void;
}

export interface FoundGame {
  black: string;
  white: string;
  event: string;
  date: string;
  place: string;
  start: string;
  moves: string;
  result: string;
}

export interface GamesAnswer {
  kind?: string;
  games: FoundGame[];
  more?: number;
  errors: string[];
  /** Does a board not say who moves? */
  lacksSide?: boolean;
  warnings?: string[];
}

export interface AnalysisRequest {
  start: string;
  moves: string;
  depth: number;
  exact: number;
  wld: number;
  hash_mb: number;
  /** What players of this rating find is to be said as well. */
  rating?: number | undefined;
  black: string;
  white: string;
}

export interface Judged {
  moves: number;
  black: number;
  exact: boolean;
}

export interface GameReport {
  result: string;
  black_strength?: Strength;
  white_strength?: Strength;
  moves: Move[];
}
