// The trainer without its page: the file of puzzles, the words, the log.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { bundled, directly, root } from "./support.mjs";

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

/** Numbers from 0 up to a bound, by a seed. */
function randomBy(seed) {
  let now = seed;
  return (bound) => (now = (Math.imul(now, 1103515245) + 12345) >>> 1) % bound;
}

/** Positions of games between people of the model, with what it says of the moves. */
async function* positions(games, random) {
  const ask = await directly();
  for (let i = 0; i < games; i++) {
    let position = rules.START;
    while (!rules.isOver(position)) {
      if (mustPass(position)) position = rules.passed(position);
      const { moves } = await ask({ look: JSON.stringify({ position: rules.textOf(position), rating: 1000 + random(800) }) });
      const legal = moves.sort((a, b) => b.share - a.share).map(({ move }) => rules.squareOf(move));
      yield [position, legal];
      let at = random(1000) / 1000;
      const drawn = moves.find(({ share }) => (at -= share) < 0) ?? moves[0];
      position = rules.played(position, rules.squareOf(drawn.move));
    }
  }
}

const STEPS = [[0, 1], [1, 0], [1, 1], [1, -1], [0, -1], [-1, 0], [-1, -1], [-1, 1]];

/** The squares from one on in a direction, to the edge. */
function ray(square, [dx, dy]) {
  const squares = [];
  for (let [x, y] = [(square % 8) + dx, (square >> 3) + dy]; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy) squares.push(8 * y + x);
  return squares;
}

/** Legal moves a second way: a ray that reads as others' discs and then an own one. */
function slowMoves({ cells, side }) {
  const other = side === "X" ? "O" : "X";
  const pattern = new RegExp(`^${other}+${side}`);
  const turns = (square) => STEPS.some((step) => pattern.test(ray(square, step).map((at) => cells[at]).join("")));
  return [...cells].flatMap((cell, square) => (cell === "-" && turns(square) ? [square] : []));
}

/** Discs that cannot be turned a second way: grown from corners and full lines, by whole rays. */
function slowStable({ cells }, side) {
  const own = [...cells].flatMap((cell, square) => (cell === side ? [square] : []));
  const grown = new Set();
  const holds = (square, step) => {
    const back = step.map((one) => -one);
    const [to, from] = [ray(square, step), ray(square, back)];
    return [...to, ...from].every((at) => cells[at] !== "-") || [to, from].some(([next]) => next === undefined || grown.has(next));
  };
  for (let before = -1; before !== grown.size; ) {
    before = grown.size;
    for (const square of own) if (STEPS.slice(0, 4).every((step) => holds(square, step))) grown.add(square);
  }
  return grown;
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

test("each sentence is true on 10,000 moves of Emilia's own games, found a second way", async () => {
  const said = {};
  const random = randomBy(69);
  let moves = 0;
  for await (const [position, legal] of positions(200, random)) {
    if (legal.length < 2) continue;
    moves += 1;
    const [best, other] = random(2) ? legal : [...legal].reverse();
    const [good, bad] = [rules.played(position, best), rules.played(position, other)];
    const replies = slowMoves(bad);
    const line = [replies.length ? replies[random(replies.length)] : undefined];
    const found = facts({ position, best, other, line });
    assert.ok(found.length <= 2);
    for (const fact of found) {
      said[fact.rule] = (said[fact.rule] ?? 0) + 1;
      if (fact.rule === "replies") assert.deepEqual([slowMoves(good).length, replies.length], [fact.afterBest, fact.afterOther]);
      if (fact.rule === "pass") assert.deepEqual(slowMoves(good), []);
      if (fact.rule === "corner") {
        const corner = rules.squareOf(fact.corner);
        assert.ok(["a1", "h1", "a8", "h8"].includes(fact.corner) && line[0] === corner && replies.includes(corner) && !slowMoves(good).includes(corner));
      }
      if (fact.rule === "parity") {
        assert.ok(regionSizes(good).every((size) => size % 2 === 0));
        assert.equal(regionSizes(bad).filter((size) => size % 2).length, fact.odd);
      }
      if (fact.rule !== "stable") continue;
      assert.equal(slowStable(good, position.side).size - slowStable(bad, position.side).size, fact.discs);
      // No game of random moves turns one of them.
      const safe = stable(good, position.side);
      for (let now = good; !rules.isOver(now); ) {
        const next = slowMoves(now);
        now = next.length ? rules.played(now, next[random(next.length)]) : rules.passed(now);
        for (const square of safe) assert.equal(now.cells[square], position.side, `${rules.textOf(good)} ${rules.nameOf(square)}`);
      }
    }
    if (moves % 60 === 0) assert.deepEqual(regions(good).map(({ length }) => length).sort(), regionSizes(good));
  }
  assert.ok(moves >= 10_000, String(moves));
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
