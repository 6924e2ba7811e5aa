// The module in Node against the native program: the same moves, scores and nodes; and the page's rules against the engine.
// EMILIA names the program; without one, what needs it is left out.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { buildSync } from "esbuild";
import { Emilia } from "../dist/engine/index.mjs";
import { bundled, directly, dist, root } from "./support.mjs";

const GAME = "f5f6e6f4g5e7d7d6d8g6g4f7e3f8h7e2c7h5h6h8c5g7g8e8c3c8b8a8f3h4e1c6b7a7h3b6b5c4b2g2g3d3a6b3a3a2";
const SIX = "board XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O";
const native = process.env.EMILIA ?? `${root}target/release/emilia`;
const withNative = { skip: !existsSync(native) && "no native program" };

test("searches have the native nodes and lines", withNative, async () => {
  const engine = new Emilia();
  const input = "setoption name Hash value 16\nposition startpos moves f5 d6 c3\ngo depth 12\n";
  const lines = execFileSync(native, { input, encoding: "utf8" }).split("\n").filter((line) => line.startsWith("info depth 12 "));
  const { lines: [found] } = await engine.search("startpos moves f5 d6 c3", { go: "depth 12" });
  assert.equal(/ nodes (\d+)/.exec(lines.at(-1))[1], String(found.nodes));
  assert.equal(/ pv (.*)/.exec(lines.at(-1))[1].trim(), found.pv.join(" "));
  engine.close();
});

test("the book and people are those of the native program", withNative, async () => {
  const ask = await directly();
  const json = (...words) => JSON.parse(execFileSync(native, ["book", ...words, "--json"], { encoding: "utf8" }));
  const look = (position, more) => ask({ look: JSON.stringify({ position, rating: 1500, ...more }) });
  const shown = json("show", "builtin", "f5d6");
  const { moves } = await look(shown.position);
  for (const { move, score, people, book } of shown.moves) {
    const own = moves.find((one) => one.move === move);
    assert.deepEqual([own.score, own.goesOn], [score, book]);
    assert.ok(Math.abs(own.share - people) < 1e-5);
  }
  assert.ok(shown.moves.length > 2);
  const heart = json("lines", "builtin", "f5", "--side", "white", "--slack", "1", "--most", "3");
  const { lines } = await look(heart.position, { learns: true, slack: 1, most: 3 });
  assert.deepEqual(lines.map((line) => line.moves), heart.list.map(({ line }) => line));
  assert.ok((await look("nothing")).error);
});

test("a solve is exact, and an aborted one ends", async () => {
  const engine = new Emilia();
  const { best, lines } = await engine.solve(SIX);
  assert.deepEqual([best, lines[0].score, lines[0].exact], ["d8", -36, true]);
  await assert.rejects(engine.search("startpos", { go: "infinite", signal: AbortSignal.timeout(300) }), { name: "TimeoutError" });
  assert.equal((await engine.search("startpos", { go: "depth 2" })).best.length, 2);
  await assert.rejects(engine.search("board nothing"), /expected/);
  engine.close();
});

test("an analysis is that of `emilia analyze --threads 1`", withNative, async () => {
  const engine = new Emilia();
  const effort = { depth: 8, exact: 16, wld: 18 };
  const flags = ["analyze", "--json", "--threads", "1", "--hash", "64", "--depth", "8", "--exact", "16", "--wld", "18", GAME];
  const expected = JSON.parse(execFileSync(native, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const { moves } = await engine.analyze("startpos", GAME, { ...effort, hashMb: 64 });
  assert.deepEqual(moves, expected.moves);
  engine.close();
});

test("what players of a rating find is that of `emilia analyze --rating`", withNative, async () => {
  const engine = new Emilia();
  const flags = ["analyze", "--json", "--threads", "1", "--hash", "64", "--depth", "6", "--exact", "12", "--wld", "14", "--rating", "1500", GAME];
  const expected = JSON.parse(execFileSync(native, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const found = await engine.analyze("startpos", GAME, { depth: 6, exact: 12, wld: 14, hashMb: 64, rating: 1500 });
  // Logarithms and exponentials may differ in the last bit, and so a rounded number by one unit.
  const isNear = (a, b, what) => assert.ok(Math.abs(a - b) < 0.0011, `${what}: ${a}, not ${b}`);
  for (const [i, { share, hard, shares, ...others }] of found.moves.entries()) {
    const { share: itsShare, hard: itsHard, shares: itsShares, ...itsOthers } = expected.moves[i];
    assert.deepEqual(others, itsOthers);
    assert.deepEqual(Object.keys(shares), Object.keys(itsShares));
    isNear(share, itsShare, `share of move ${i + 1}`);
    isNear(hard, itsHard, `hard of move ${i + 1}`);
    for (const [move, one] of Object.entries(shares)) isNear(one, itsShares[move], `share of ${move}`);
  }
  for (const side of ["black_strength", "white_strength"]) {
    const { likelihood, ...others } = found[side];
    const { likelihood: itsLikelihood, ...itsOthers } = expected[side];
    assert.deepEqual(others, itsOthers);
    likelihood.forEach((one, i) => isNear(one, itsLikelihood[i], side));
  }
  engine.close();
});

test("games of pasted text are read", async () => {
  const engine = new Emilia();
  const { kind, games } = await engine.games('[Black "ann"]\n[White "ben"]\n\n1. f5 d6 2. c3 *\n');
  assert.equal(kind, "games of PGN");
  assert.deepEqual([games[0].black, games[0].moves], ["ann", "f5d6c3"]);
  assert.equal((await engine.games(new Uint8Array(200))).errors.length, 1);
  engine.close();
});

test("each request has its own answer, and no promise is left open", { timeout: 60_000 }, async (t) => {
  const engine = new Emilia();
  t.after(() => engine.close());
  const abort = new AbortController();
  const refused = [
    [/illegal move a1/, engine.search("startpos moves a1", { go: "infinite" })],
    [/expected a number 0\.\.22/, engine.search("startpos", { level: 99 })],
    [/exclude each other/, engine.search("startpos", { level: 1, rating: 1 })],
    [/from a text/, engine.games(undefined)],
    [/illegal move a1/, engine.analyze("startpos", "f5a1")],
    [/a number 1 to 3000/, engine.analyze("startpos", "f5d6", { rating: 3001 })],
    [/mine/, engine.search("startpos", { report: () => assert.fail("mine") })],
    [{ name: "AbortError" }, engine.search("startpos", { go: "infinite", signal: abort.signal })],
  ].map(([error, call]) => assert.rejects(call, error));
  const answers = [
    engine.search("startpos moves f5", { go: "depth 3" }),
    engine.solve(SIX),
    engine.search("startpos", { go: " " }),
    engine.search(`board ${"X".repeat(64)} X`, { go: "infinite" }),
    engine.search("startpos", { level: 1 }),
    engine.search("startpos", { rating: 1500 }),
  ];
  abort.abort();
  await Promise.all(refused);
  const [after, solved, blank, over, level, rating] = await Promise.all(answers);
  assert.ok(["f4", "d6", "f6"].includes(after.best));
  assert.equal(solved.lines[0].score, -36);
  assert.deepEqual([blank, level, rating].map(({ lines }) => lines[0].depth), [12, 1, 8]);
  assert.equal(over.best, "none");
  const closed = [engine.search("startpos", { go: "infinite" }), engine.games("f5")];
  setTimeout(() => engine.close(), 300);
  await Promise.all(closed.map((call) => assert.rejects(call, /closed/)));
  const lost = new Emilia({ worker: () => assert.fail("no worker") });
  await assert.rejects(lost.games("f5"), /no worker/);
});

test("the package can be bundled for browsers, and its types are there", async () => {
  const folder = mkdtempSync(`${tmpdir()}/emilia-package-`);
  try {
    const file = (name) => `${folder}/${name}`;
    cpSync(`${dist}/engine`, file("node_modules/emilia-engine"), { recursive: true });
    const program = `import { Emilia } from "emilia-engine";
export async function six(): Promise<number> {
  const engine = new Emilia({ worker: () => new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" }) });
  const { moves } = await engine.analyze("startpos", "f5d6", { depth: 2 });
  const { games } = await engine.games("f5d6");
  const { lines } = await engine.solve("${SIX}");
  engine.close();
  return moves.length + games[0]!.moves.length + lines[0]!.score;
}
`;
    writeFileSync(file("program.mts"), program);
    writeFileSync(file("own.mts"), program.replace('"emilia-engine"', '"./node_modules/emilia-engine/index.mjs"'));
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", ""];
    execFileSync(process.execPath, [`${root}web/node_modules/typescript/bin/tsc`, ...options, file("program.mts"), file("own.mts")], { cwd: folder, stdio: "inherit" });
    buildSync({ entryPoints: [file("program.mts"), file("node_modules/emilia-engine/worker.mjs")], bundle: true, format: "esm", platform: "browser", outdir: file("out"), entryNames: "[name]", logLevel: "silent" });
    for (const name of ["emilia.wasm", "weights.bin", "people.bin"]) cpSync(`${dist}/engine/${name}`, file(`out/${name}`));
    // The bundle in Node, which starts the worker by a class of its own.
    const { six } = await import(file("out/program.js"));
    globalThis.Worker = (await import("node:worker_threads")).Worker;
    cpSync(file("out/worker.js"), file("out/worker.mjs"));
    assert.equal(await six(), 2 + 4 - 36);
  } finally {
    delete globalThis.Worker;
    rmSync(folder, { recursive: true });
  }
});

test("the page's rules count the lines of play that the engine counts", async () => {
  const { START, isOver, legalMoves, passed, played, positionOf } = await bundled("rules.ts");
  const perft = (position, depth) => {
    if (!depth) return 1;
    const moves = legalMoves(position);
    if (!moves.length) return isOver(position) ? 1 : perft(passed(position), depth - 1);
    return moves.reduce((sum, square) => sum + perft(played(position, square), depth - 1), 0);
  };
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((depth) => perft(START, depth)), [4, 12, 56, 244, 1396, 8200]);
  assert.equal(perft(positionOf(SIX.slice(6)), 7), perft(positionOf(SIX.slice(6)), 9));
});

test("a link holds a game with its variations", async () => {
  const { gameOf, linkOf, readLink, ggfOf, treeText } = await bundled("game.ts");
  const { START } = await bundled("rules.ts");
  const { game, isWhole } = gameOf(START, GAME);
  assert.ok(isWhole);
  game.current = game.root.children[0];
  game.play(29);
  game.names = { black: "a&b=(c)", white: "白" };
  const { game: again } = readLink(linkOf(game));
  assert.equal(treeText(again.root), treeText(game.root));
  assert.deepEqual(again.names, game.names);
  assert.equal(again.transcript(again.path()), game.transcript(game.path()));
  assert.match(ggfOf(game), /PB\[a&b=\(c\)\].*B\[f5\]W\[f4\]/);
});
