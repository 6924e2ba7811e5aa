// The plan of a solve on several workers: whatever the order of the answers, it ends with the score of the best move.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bundled } from "./support.mjs";

const { RootPlan } = await bundled("solve.ts");

/** A small generator of numbers: the same for the same seed. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What a search proves of a score that is asked a question. */
function proof(score, question, draw) {
  const pv = ["line"];
  if (question === "exact") return { lower: score, upper: score, pv };
  if (question === "wld") return { lower: score > 0 ? 2 : score < 0 ? -64 : 0, upper: score > 0 ? 64 : score < 0 ? -2 : 0, pv };
  const threshold = Number(question.slice(2));
  // A bound may be better than what was asked.
  return score >= threshold ? { lower: Math.min(score, threshold + 2 * draw(3)), upper: 64, pv } : { lower: -64, upper: Math.max(score, threshold - 2 - 2 * draw(3)), pv };
}

function solved(goal, scores, estimates, workers, draw) {
  const plan = new RootPlan(scores.map((_, i) => ({ move: String(i), estimate: estimates[i] })), goal);
  const asked = [];
  for (let steps = 0; !plan.isDone; steps++) {
    assert.ok(steps < 1000);
    while (asked.length < workers) {
      const next = plan.next();
      if (!next) break;
      asked.push(next);
    }
    assert.ok(asked.length > 0, "somebody always asks something");
    const [{ candidate, question }] = asked.splice(draw(asked.length), 1);
    const isGivenUp = draw(5) === 0 && asked.length > 0;
    plan.answer(candidate, isGivenUp ? undefined : proof(scores[Number(candidate.move)], question, draw));
  }
  return plan;
}

test("a plan finds the best score, exactly or who wins, with any number of workers", () => {
  for (let seed = 0; seed < 2000; seed++) {
    const draw = random(seed);
    const scores = Array.from({ length: 1 + draw(12) }, () => 2 * (draw(33) - 16));
    const estimates = scores.map((score) => score + draw(13) - 6);
    const goal = seed % 2 ? "exact" : "wld";
    const plan = solved(goal, scores, estimates, 1 + draw(5), draw);
    const best = Math.max(...scores);
    const expected = goal === "exact" ? best : 2 * Math.sign(best);
    assert.deepEqual([plan.lower, plan.upper], [expected, expected], `seed ${seed}`);
    if (goal === "exact") assert.equal(scores[Number(plan.best.move)], best);
    assert.equal(plan.decided, scores.length);
  }
});

test("a question that alpha has left behind is stale", () => {
  const plan = new RootPlan([{ move: "a1", estimate: 2 }, { move: "b1", estimate: 0 }, { move: "c1", estimate: -8 }], "exact");
  const first = plan.next();
  assert.deepEqual([first.candidate.move, first.question], ["a1", "exact"]);
  const second = plan.next();
  assert.deepEqual([second.candidate.move, second.question], ["b1", ">=4"]);
  plan.answer(second.candidate, { lower: 10, upper: 64, pv: ["b1"] });
  assert.ok(plan.isStale(first.candidate));
  const third = plan.next();
  assert.deepEqual([third.candidate.move, third.question], ["b1", ">=12"]);
});
