// Solves in words.

import { scoreText } from "./elements";
import type { Candidate, Solution } from "./solve";
import type { Solve } from "./state";
import type { Texts } from "./texts";

/** A proven score, or its bound: `+4=`, `≥+2`, `≤−6`; nothing while nothing is proven. */
export function boundText({ lower, upper }: Candidate): string | undefined {
  if (lower === upper) return `${scoreText(lower)}=`;
  if (upper < 64 && lower === -64) return `≤${scoreText(upper)}`;
  if (lower > -64) return `≥${scoreText(lower)}`;
  return undefined;
}

function valueText({ goal, lower, upper, isDone, best }: Solution, texts: Texts): string {
  const value = lower > 0 ? texts.win : upper < 0 ? texts.loss : texts.drawn;
  if (isDone) return goal === "wld" ? `${value} =` : `${scoreText(lower)} =`;
  const bounds = [lower > -64 && goal === "exact" && `≥ ${scoreText(lower)}`, upper < 64 && goal === "exact" && `≤ ${scoreText(upper)}`].filter(Boolean);
  return bounds.length ? bounds.join(", ") : `≈ ${scoreText(best.estimate)}`;
}

export function solutionText({ found, state }: Solve, texts: Texts, language: string): string {
  const head = state === "running" ? texts.solving : state === "stopped" ? texts.stopped : texts.solved;
  if (!found) return state === "running" ? `${head} …` : "";
  const { best, candidates, decided, nodes, milliseconds, isDone } = found;
  const progress = !isDone && candidates.length > 1 && texts.decided(decided, candidates.length);
  const effort = `${nodes.toLocaleString(language)} ${texts.nodes} · ${(milliseconds / 1000).toFixed(1)} s`;
  return [`${head}: ${valueText(found, texts)}`, best.line.slice(0, 8).join(" "), progress, effort].filter(Boolean).join(" · ");
}
