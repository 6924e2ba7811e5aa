// Solving on several workers: each asks about one move at a time, and all ask above the best score that any has proven.

import type { Engine, Proven, Question, Seen } from "./engine";
import { type Position, count, legalMoves, nameOf } from "./rules";
import type { Team } from "./team";

export type Goal = "exact" | "wld";

/** A move of the position, and what is known of its score for the side to move. */
export interface Candidate {
  readonly move: string;
  estimate: number;
  lower: number;
  upper: number;
  line: string[];
  /** What a worker asks about it now. */
  asked: Question | undefined;
}

const even = (discs: number) => 2 * Math.round(discs / 2);
const thresholdOf = (question: Question) => Number(/^>=(-?\d+)$/.exec(question)?.[1] ?? NaN);

/** Alpha may be so many discs above what a worker asks before it is asked again. */
const STALE = 4;

/**
 * Which worker asks what. One move, the best by its estimate, is asked for its score; of the others it is asked whether they are
 * better, while that score is not known: better than its estimate.
 */
export class RootPlan {
  readonly candidates: Candidate[];

  constructor(
    estimates: { move: string; estimate: number }[],
    readonly goal: Goal,
  ) {
    const limit = this.limit;
    this.candidates = estimates.map(({ move, estimate }) => ({ move, estimate, lower: -limit, upper: limit, line: [move], asked: undefined }));
    this.candidates.sort((a, b) => b.estimate - a.estimate);
  }

  /** Scores beyond are all one: who only asks for the winner makes no difference of two discs and more. */
  private get limit(): number {
    return this.goal === "exact" ? 64 : 2;
  }

  /** The score is at least this: alpha. */
  get lower(): number {
    return Math.max(...this.candidates.map(({ lower }) => lower));
  }

  /** The score is at most this. */
  get upper(): number {
    return Math.max(...this.candidates.map(({ upper }) => upper));
  }

  get isDone(): boolean {
    return this.lower >= this.upper;
  }

  /** Moves that are known to be no better than alpha. */
  get decided(): number {
    return this.candidates.filter(({ upper }) => upper <= this.lower).length;
  }

  /** The best move by what is proven, then by its estimate. */
  get best(): Candidate {
    return [...this.candidates].sort((a, b) => b.lower - a.lower || b.upper - a.upper || b.estimate - a.estimate)[0]!;
  }

  /** What an idle worker asks; nothing if the others' answers are to be waited for. */
  next(): { candidate: Candidate; question: Question } | undefined {
    const alpha = this.lower;
    const open = this.candidates.filter(({ asked, upper }) => !asked && upper > alpha).sort((a, b) => b.estimate - a.estimate);
    const [first] = open;
    if (!first) return undefined;
    const isSettled = this.candidates.some(({ lower, upper }) => lower === alpha && upper === alpha);
    const whole = this.candidates.find(({ asked }) => asked === this.goal);
    if (!isSettled && !whole) {
      // A move that is proven to be better than all settled ones comes first.
      const raised = open.find(({ lower }) => lower === alpha && alpha > -this.limit) ?? first;
      return this.ask(raised, this.goal);
    }
    const expected = whole ? Math.max(alpha, even(whole.estimate)) : alpha;
    const threshold = Math.min(this.limit, expected + 2);
    const candidate = open.find(({ upper }) => upper >= threshold);
    return candidate && this.ask(candidate, `>=${threshold}`);
  }

  private ask(candidate: Candidate, question: Question): { candidate: Candidate; question: Question } {
    candidate.asked = question;
    return { candidate, question };
  }

  /** Takes proven bounds; none if the question was given up. */
  answer(candidate: Candidate, proven: { lower: number; upper: number; pv: string[] } | undefined): void {
    candidate.asked = undefined;
    if (!proven) return;
    const within = (discs: number) => Math.max(-this.limit, Math.min(this.limit, discs));
    const isRaised = within(proven.lower) > candidate.lower || proven.lower === proven.upper;
    candidate.lower = Math.max(candidate.lower, within(proven.lower));
    candidate.upper = Math.min(candidate.upper, within(proven.upper));
    candidate.estimate = Math.max(candidate.lower, Math.min(candidate.upper, candidate.estimate));
    if (isRaised && proven.pv.length) candidate.line = proven.pv;
  }

  /** Has alpha left behind what is asked about this move? */
  isStale({ asked, estimate, upper }: Candidate): boolean {
    if (!asked) return false;
    if (upper <= this.lower) return true;
    const threshold = asked === this.goal ? estimate : thresholdOf(asked);
    return threshold + STALE <= this.lower;
  }
}

/** What a solve has found, also where it is not done. Scores in discs for the side to move. */
export interface Solution {
  goal: Goal;
  lower: number;
  upper: number;
  isDone: boolean;
  best: Candidate;
  candidates: readonly Candidate[];
  decided: number;
  nodes: number;
  milliseconds: number;
}

/** Positions of so few empties are solved by one worker before others have heard of it. */
const FEW = 14;
/** Plies of the searches that order the moves. */
const ORDERING_DEPTH = 10;
/** Of all workers together. */
const HASH_MB = 256;

type Report = (solution: Solution) => void;

/** One solve. */
class Run {
  private plan: RootPlan | undefined;
  private readonly started = performance.now();
  /** Nodes of the answers, and of what each worker asks now. */
  private doneNodes = 0;
  private readonly runningNodes: number[] = [];
  isStopped = false;

  constructor(
    private readonly engines: Engine[],
    private readonly position: Position,
    private readonly goal: Goal,
    private readonly report: Report,
  ) {}

  solution(): Solution | undefined {
    const { plan } = this;
    if (!plan) return undefined;
    const nodes = this.runningNodes.reduce((sum, some) => sum + (some ?? 0), this.doneNodes);
    const { lower, upper, isDone, best, candidates, decided } = plan;
    return { goal: this.goal, lower, upper, isDone, best, candidates, decided, nodes, milliseconds: performance.now() - this.started };
  }

  private tell(): void {
    const solution = this.solution();
    if (solution && !this.isStopped) this.report(solution);
  }

  async run(): Promise<void> {
    const moves = legalMoves(this.position).map(nameOf);
    const workers = count(this.position).empty <= FEW ? 1 : Math.min(this.engines.length, moves.length);
    if (workers === 1) return this.alone(moves);
    const estimates = await this.estimates(moves, workers);
    if (this.isStopped) return;
    this.plan = new RootPlan(estimates, this.goal);
    await Promise.all(Array.from({ length: workers }, (_, worker) => this.work(worker)));
  }

  private question(worker: number, question: Question, moves: string[], seen: (seen: Seen) => void): Promise<Proven | undefined> {
    const hash_mb = Math.floor(HASH_MB / Math.max(4, this.engines.length));
    return this.engines[worker]!.prove({ position: this.position, question, moves, hash_mb }, (found) => {
      this.runningNodes[worker] = found.nodes;
      seen(found);
      this.tell();
    });
  }

  /** One worker asks about all moves at once. */
  private async alone(moves: string[]): Promise<void> {
    const plan = new RootPlan([{ move: moves[0]!, estimate: 0 }], this.goal);
    const [all] = plan.candidates as [Candidate];
    this.plan = plan;
    const proven = await this.question(0, this.goal, moves, ({ score, pv }) => {
      all.estimate = score;
      all.line = pv;
    });
    plan.answer(all, proven);
    if (proven) this.account(0, proven.nodes);
  }

  private async estimates(moves: string[], workers: number): Promise<{ move: string; estimate: number }[]> {
    const found = new Map(moves.map((move) => [move, 0]));
    await Promise.all(Array.from({ length: workers }, async (_, worker) => {
      const own = moves.filter((_, at) => at % workers === worker);
      const go = `depth ${ORDERING_DEPTH} multipv ${own.length} searchmoves ${own.join(" ")}`;
      await this.engines[worker]!.search(this.position, go, { report: ({ pv, score }) => pv[0] && found.set(pv[0], score) });
    }));
    return [...found].map(([move, estimate]) => ({ move, estimate }));
  }

  private account(worker: number, nodes: number): void {
    this.doneNodes += nodes;
    this.runningNodes[worker] = 0;
    this.tell();
  }

  /** What workers without a question wait for. */
  private waiting: (() => void)[] = [];

  private wake(): void {
    this.waiting.splice(0).forEach((go) => go());
  }

  private async work(worker: number): Promise<void> {
    const plan = this.plan!;
    while (!this.isStopped && !plan.isDone) {
      const next = plan.next();
      if (!next) {
        await new Promise<void>((go) => this.waiting.push(go));
        continue;
      }
      const { candidate, question } = next;
      this.asking[worker] = candidate;
      const proven = await this.question(worker, question, [candidate.move], ({ score }) => {
        // A claim's score is a bound, no estimate.
        if (question === this.goal) candidate.estimate = score;
      });
      this.asking[worker] = undefined;
      plan.answer(candidate, proven);
      this.account(worker, proven?.nodes ?? this.runningNodes[worker] ?? 0);
      this.endStale(worker);
      this.wake();
    }
    this.wake();
  }

  private readonly asking: (Candidate | undefined)[] = [];

  /** Ends the questions that alpha has answered or left behind; their workers ask others. */
  private endStale(but: number): void {
    this.asking.forEach((candidate, worker) => {
      if (worker !== but && candidate && (this.plan!.isDone || this.plan!.isStale(candidate))) this.engines[worker]!.stop();
    });
  }

  stop(): void {
    this.isStopped = true;
    this.engines.forEach((engine) => engine.stop());
    this.wake();
  }
}

export class SplitSolver {
  private running: Run | undefined;

  constructor(private readonly team: Team) {}

  get isBusy(): boolean {
    return this.running !== undefined;
  }

  /** Solves; what was found, also if it was stopped. */
  async solve(position: Position, goal: Goal, report: Report): Promise<Solution | undefined> {
    this.stop();
    const run = new Run(this.team.engines, position, goal, report);
    this.running = run;
    try {
      await run.run();
    } catch (error) {
      run.stop();
      throw error;
    } finally {
      if (this.running === run) this.running = undefined;
    }
    return run.solution();
  }

  /** Ends the solve; what it has found stays with the caller. */
  stop(): void {
    this.running?.stop();
    this.running = undefined;
  }
}
