// Values of all moves, solves, and the analysis of the game.

import { judge, solver, study } from "../engines";
import type { Judged } from "../engine";
import { textOf } from "../rules";
import type { Goal, Solution } from "../solve";
import { type Effort, type Report, type Solve, fault, isEnd, later, locale, position, redraw, retry, say, scores, settings, show, state } from "../state";
import { remember } from "../storage";
import { solutionText } from "../words";
import { pointsOf } from "../../../src/analysis/page/report.js";

export function toggleValues(): void {
  state.showsValues = !state.showsValues;
  if (state.showsValues && !isEnd()) {
    solver.stop();
    retry();
    study.start(position());
  } else {
    study.stop();
    study.values.clear();
  }
  redraw();
}

/** Shows what the book and people know of the moves, or no longer. */
export function toggleKnown(): void {
  settings.showsKnown = !settings.showsKnown;
  remember("settings", settings);
  redraw();
}

export async function startSolve(goal: Goal): Promise<void> {
  const mine: Solve = { node: state.game.current, found: undefined, state: "running" };
  state.solve = mine;
  study.stop();
  retry();
  redraw();
  try {
    const report = (found: Solution) => {
      mine.found = found;
      later();
    };
    const found = await solver.solve(position(), goal, report);
    mine.found = found ?? mine.found;
    mine.state = found?.isDone ? "done" : "stopped";
    if (found?.isDone && goal === "exact") scores.set(mine.node, { black: mine.node.position.side === "X" ? found.lower : -found.lower, exact: true });
  } catch (error) {
    mine.state = "stopped";
    fault(error);
  }
  if (state.solve !== mine) return;
  if (mine.state === "done") say(solutionText(mine, locale.texts, locale.language));
  later();
}

export function stopSolve(): void {
  if (state.solve?.state === "running") state.solve.state = "stopped";
  solver.stop();
  redraw();
}

/** As `emilia analyze --threads 1` does, and quicker: for weak devices. */
const EFFORTS: Record<Effort, { depth: number; exact: number; wld: number; hash_mb: number }> = {
  full: { depth: 14, exact: 24, wld: 26, hash_mb: 256 },
  quick: { depth: 12, exact: 18, wld: 20, hash_mb: 64 },
};

export function chooseEffort(effort: Effort): void {
  settings.effort = effort;
  remember("settings", settings);
}

/** The analysis says what players of this rating find; of none, if there is no number. */
export function chooseRating(elo: number | undefined): void {
  settings.asRating = elo;
  remember("settings", settings);
}

/** Analyses the line that is shown, or ends the analysis. */
export async function analyse(): Promise<void> {
  if (judge.isBusy) return judge.stop();
  const { game } = state;
  const line = game.line();
  const all = line.length - 1;
  if (!all) return show(locale.texts.noMoves);
  const mine: Report = { line, points: [] };
  state.report = mine;
  retry();
  const { black, white } = game.names;
  const request = { start: textOf(game.root.position), moves: game.transcript(line), ...EFFORTS[settings.effort], rating: settings.asRating, black, white };
  const asked = judge.analyze(request, (judged) => note(mine, judged));
  redraw();
  try {
    const found = await asked;
    if (found) {
      mine.found = found;
      mine.points = pointsOf(found.moves);
      mine.points.forEach(({ number, black, exact }) => line[number] && scores.set(line[number], { black, exact }));
      say(`${locale.texts.analysis}: ${found.result}`);
    }
  } catch (error) {
    fault(error);
  }
  later();
}

/** A position has been judged: from the end of the game to its start. */
function note({ line, points }: Report, { black, exact }: Judged): void {
  // Passes are moves there and none here.
  const number = line.length - 1 - points.length;
  if (number < 1) return;
  points.unshift({ number, black, exact, bad: false, name: "" });
  later();
}
