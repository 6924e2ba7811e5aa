// The trainer without its page: the file of puzzles, the words, the log.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bundled, root } from "./support.mjs";

const native = process.env.EMILIA ?? `${root}target/release/emilia`;
const file = `${root}web/puzzles.bin`;
const { readPuzzles, seenThrough, lineText, after, mustPass } = await bundled("train/puzzles.ts");
const { facts, regions, stable } = await bundled("train/words.ts");
const { replay, due, dayOf } = await bundled("train/progress.ts");
const rules = await bundled("rules.ts");
const puzzles = readPuzzles(new Uint8Array(readFileSync(file)));

test("the file holds 2,000 puzzles and 500 of only moves, in 200 kB", () => {
  assert.ok(readFileSync(file).length <= 200_000);
  assert.ok(puzzles.length >= 2000);
  assert.ok(puzzles.filter(({ kind }) => kind === "win" || kind === "draw").length >= 500);
  assert.equal(new Set(puzzles.map(({ position }) => rules.canonical(position))).size, puzzles.length);
});

/** Does the native program know puzzles? */
const showsPuzzles = () => {
  try {
    execFileSync(native, ["puzzles", "--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

test("the page reads what `emilia puzzles show` prints", { skip: !(existsSync(native) && showsPuzzles()) && "no native program" }, () => {
  const lines = execFileSync(native, ["puzzles", "show", "--json", file], { encoding: "utf8", maxBuffer: 1 << 26 }).trim().split("\n");
  const shown = lines.map((line) => JSON.parse(line));
  const read = puzzles.map(({ position, kind, score, rating, themes, line }) => ({ board: rules.textOf(position), kind, score, rating, themes, line: lineText(line).replaceAll("–", "pass") }));
  assert.deepEqual(read, shown.map((one) => ({ ...one, line: one.line.join(" ") })));
});

/** The final score for the side to move, by all lines of play. */
function solved(position) {
  if (rules.isOver(position)) return rules.finalScore(position) * (position.side === "X" ? 1 : -1);
  if (mustPass(position)) return -solved(rules.passed(position));
  return Math.max(...rules.legalMoves(position).map((move) => -solved(rules.played(position, move))));
}

test("answers stand by all lines of play, in each image and colour", () => {
  const few = puzzles.filter(({ position }) => rules.count(position).empty <= 7);
  assert.ok(few.length > 100);
  few.slice(0, 60).forEach((puzzle, i) => {
    const { position, kind, score, line } = seenThrough(puzzle, i % 8, i % 2 ? "X" : "O");
    if (kind === "count") return assert.equal(solved(position), score);
    const values = rules.legalMoves(position).map((move) => [move, -solved(rules.played(position, move))]);
    const [best] = values.filter(([, value]) => value === score);
    const next = Math.max(...values.filter(([move]) => move !== best[0]).map(([, value]) => value));
    assert.equal(line[0], best[0]);
    if (kind === "win") assert.ok(score > 0 && next <= 0);
    if (kind === "draw") assert.ok(score === 0 && next < 0);
    if (kind === "best") assert.ok(score - next >= 4);
    line.reduce(after, position);
  });
});

/** Games of random moves, by a seed. */
function* positions(games) {
  let seed = 69;
  const random = (bound) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 1) % bound;
  for (let i = 0; i < games; i++) {
    let position = rules.START;
    while (!rules.isOver(position)) {
      const moves = rules.legalMoves(position);
      if (!moves.length) {
        position = rules.passed(position);
        continue;
      }
      yield [position, moves, random];
      position = rules.played(position, moves[random(moves.length)]);
    }
  }
}

/** Discs of a side that some line of play within `plies` turns, passes allowed. */
function turnable(position, side, plies, found = new Set()) {
  if (!plies) return found;
  for (const mover of [position, rules.passed(position)]) {
    for (const move of rules.legalMoves(mover)) {
      if (mover.side !== side) rules.flips(mover, move).forEach((one) => found.add(one));
      if (plies > 1) turnable(rules.played(mover, move), side, plies - 1, found);
    }
  }
  return found;
}

/** Empty squares by regions, another way: labels that spread until nothing changes. */
function regionSizes({ cells }) {
  const labels = [...cells].map((cell, square) => (cell === "-" ? square : -1));
  for (let changes = true; changes; ) {
    changes = false;
    for (let a = 0; a < 64; a++) {
      for (let b = 0; b < 64; b++) {
        const touch = Math.abs((a % 8) - (b % 8)) <= 1 && Math.abs((a >> 3) - (b >> 3)) <= 1;
        if (touch && labels[a] >= 0 && labels[b] > labels[a]) [labels[b], changes] = [labels[a], true];
      }
    }
  }
  const sizes = new Map();
  labels.filter((label) => label >= 0).forEach((label) => sizes.set(label, (sizes.get(label) ?? 0) + 1));
  return [...sizes.values()].sort();
}

test("each sentence is true, found a second way", () => {
  const said = {};
  let moves = 0;
  for (const [position, legal, random] of positions(170)) {
    if (legal.length < 2) continue;
    moves += 1;
    const best = legal[random(legal.length)];
    const other = legal.find((one) => one !== best);
    const [good, bad] = [rules.played(position, best), rules.played(position, other)];
    const replies = rules.legalMoves(bad);
    const found = facts({ position, best, other, line: replies.slice(-1) });
    assert.ok(found.length <= 2);
    for (const fact of found) {
      said[fact.rule] = (said[fact.rule] ?? 0) + 1;
      const repliesTo = (one) => Array.from({ length: 64 }, (_, square) => rules.played(one, square)).filter(Boolean).length;
      if (fact.rule === "replies") assert.deepEqual([repliesTo(good), repliesTo(bad)], [fact.afterBest, fact.afterOther]);
      if (fact.rule === "pass") assert.equal(repliesTo(good), 0);
      if (fact.rule === "corner") assert.ok(rules.played(bad, rules.squareOf(fact.corner)) && !rules.played(good, rules.squareOf(fact.corner)) && rules.nameOf(replies.at(-1)) === fact.corner);
      if (fact.rule === "parity") {
        assert.ok(regionSizes(good).every((size) => size % 2 === 0));
        assert.equal(regionSizes(bad).filter((size) => size % 2).length, fact.odd);
      }
      if (fact.rule === "stable") assert.equal(stable(good, position.side).size - stable(bad, position.side).size, fact.discs);
    }
    if (moves % 60 === 0) {
      assert.deepEqual(regions(good).map(({ length }) => length).sort(), regionSizes(good));
      const safe = stable(good, position.side);
      for (const square of turnable(good, position.side, 3)) assert.ok(!safe.has(square), `${rules.textOf(good)} ${rules.nameOf(square)}`);
    }
  }
  assert.ok(moves > 8000, String(moves));
  for (const rule of ["corner", "pass", "replies", "stable", "parity"]) assert.ok(said[rule] > 20, `${rule}: ${said[rule]}`);
});

const DAY = 86_400_000;
const answer = (day, key, isRight, more = {}) => ({ answer: { at: 1.8e12 + day * DAY, mode: "puzzle", key, isRight, rating: 1200, ...more } });

test("the log says the rating, what is due, and the streaks", () => {
  const log = [answer(0, "a", true), answer(1, "b", false), answer(2, "b", true), answer(3, "c", true, { mode: "streak" }), answer(4, "d", true, { mode: "streak" }), answer(4.1, "e", true, { mode: "daily" }), answer(5.1, "f", true, { mode: "daily" })];
  const now = 1.8e12 + 5.2 * DAY;
  const found = replay(log, now);
  assert.deepEqual([found.solved, found.missed, found.streak, found.longest, found.days], [6, 1, 2, 2, 2]);
  // Another order, as files of two devices bring it, is the same log.
  assert.deepEqual(replay([...log].reverse(), now), found);
  assert.ok(found.rating > 1200 && found.deviation < 200);
  // Only what was missed comes back, and not at once.
  assert.deepEqual([...found.cards.keys()], ["b"]);
  assert.deepEqual(due(found, () => true, now + 60 * DAY), ["b"]);
  assert.deepEqual(due(found, () => true, 1.8e12 + 2 * DAY), []);
  // A second try changes no rating.
  assert.equal(replay([answer(0, "a", false), answer(1, "a", true)], now).rating, replay([answer(0, "a", false)], now).rating);
  assert.equal(dayOf(new Date(2026, 10, 29, 0, 5).getTime()), "2026-11-29");
  const mistake = { at: 1.8e12, key: "m", position: `${"-".repeat(64)} X`, played: "a1", best: "a2", loss: 4 };
  assert.deepEqual(due(replay([{ mistake }], now), () => true, now), ["m"]);
});
