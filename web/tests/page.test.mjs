// The page in Chromium: played on, pasted into, linked to, listened to, and broken.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { cell, click, drop, isFirefox, isReady, launch, moveNames, oneFile, openPage, openPanel, paste, root, serve, status } from "./support.mjs";

const GAME = "f5f6e6f4g5e7d7d6d8g6g4f7e3f8h7e2c7h5h6h8c5g7g8e8c3c8b8a8f3h4e1c6b7a7h3b6b5c4b2g2g3d3a6b3a3a2";
// Problem 40 of the FFO suite: 20 empties, Black wins by 38.
const TWENTY = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
const native = process.env.EMILIA ?? `${root}target/release/emilia`;
// The remote control of Firefox gives no clipboard and no downloads, and sets no media features.
const inChromium = { skip: isFirefox && "not in Firefox" };
let browser;
let site;
before(async () => {
  browser = await launch();
  site = await serve();
});
after(async () => {
  await browser.close();
  site.close();
});

const LEGAL = ".left .cell.legal";
const isOver = async (page) => /wins|draw/i.test(await status(page));
/** It is the person's turn; a pass is seen and taken. */
async function isMine(page) {
  const isDue = () => /wins|draw|no move/i.test(document.querySelector(".status").textContent) || document.querySelectorAll(".left .cell.legal").length > 0;
  await page.waitForFunction(isDue, null, { timeout: 60_000 });
  if (!/no move/.test(await status(page))) return;
  await page.getByRole("button", { name: "Pass", exact: true }).click();
  await isMine(page);
}

const onBoard = (page) => page.evaluate(() => document.activeElement?.getAttribute("role") === "gridcell");

/** Pastes TWENTY; what is done before it is read is done to another game. */
async function pasteTwenty(page) {
  await paste(page, TWENTY);
  await page.waitForFunction(() => history.state?.game.link.includes("s="));
}

async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

test("a whole game is clicked to its end against level 3, and a reload keeps it", async () => {
  const page = await openPage(browser, oneFile);
  for (let i = 0; i < 64 && !(await isOver(page)); i++) {
    await isMine(page);
    if (await isOver(page)) break;
    const before = (await moveNames(page)).length;
    await page.locator(LEGAL).first().click();
    await page.waitForFunction((count) => document.querySelectorAll(".moves .move").length > count, before);
  }
  assert.match(await status(page), /wins \d+–\d+|draw/);
  const moves = await moveNames(page);
  await page.getByRole("dialog").waitFor();
  await page.reload();
  await isReady(page);
  assert.deepEqual(await moveNames(page), moves);
  await close(page);
});

test("a game is played by keyboard alone", async () => {
  const page = await openPage(browser, site.url);
  for (let i = 0; i < 30 && !(await onBoard(page)); i++) await page.keyboard.press("Tab");
  for (let i = 0; i < 64; i++) {
    await isMine(page);
    if (await isOver(page)) break;
    const before = (await moveNames(page)).length;
    const way = await page.evaluate(() => {
      const cells = [...document.querySelectorAll(".left [role=gridcell]")];
      return [cells.indexOf(document.activeElement), cells.findIndex((one) => one.classList.contains("legal"))];
    });
    const [[x, y], [toX, toY]] = way.map((square) => [square % 8, square >> 3]);
    await page.keyboard.press("Home");
    for (let at = y; at !== toY; at += Math.sign(toY - at)) await page.keyboard.press(toY > at ? "ArrowDown" : "ArrowUp");
    for (let at = 0; at < toX; at++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".moves .move").length > count, before);
    assert.ok(x >= 0);
  }
  assert.match(await status(page), /wins \d+–\d+|draw/);
  assert.match(await page.locator("[role=status]").textContent(), /wins|draw/i);
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await cell(page, "a1").focus();
  await page.keyboard.press("Backspace");
  assert.match(await status(page), /to move/);
  await close(page);
});

test("texts of all kinds are pasted", async () => {
  const page = await openPage(browser, oneFile);
  const kinds = {
    transcript: "1. F5 D6 2. C3",
    ggf: "(;GM[Othello]PC[x]PB[ann]PW[ben]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)",
    pgn: '[Black "ann"]\n[White "ben"]\n\n1. f5 d6 2. c3 *\n',
    link: `https://example.org/#g=f5d6c3&at=f5d6c3`,
  };
  for (const [kind, text] of Object.entries(kinds)) {
    await paste(page, "-".repeat(27) + "OX------XO" + "-".repeat(27) + " X");
    await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 0);
    await paste(page, text);
    await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 3, null, { timeout: 30_000 }).catch(() => assert.fail(kind));
  }
  await paste(page, "no game at all");
  await page.getByRole("alert").waitFor();
  await paste(page, "f5d6c3d3\n\nf5f6e6\n");
  await page.getByRole("dialog").getByRole("button").nth(1).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 3);
  await close(page);
});

test("a link opens the game, its variations and its place", async () => {
  const page = await openPage(browser, `${site.url}#g=f5d6(f4)c3d3&at=f5d6`);
  assert.deepEqual(await moveNames(page), ["f5", "d6", "c3", "d3"]);
  assert.equal(await page.locator(".moves [aria-current]").textContent(), "d6");
  assert.equal(await page.getByRole("button", { name: "f4", exact: true }).count(), 1);
  await close(page);
});

test("hostile names, texts and links become text", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  const page = await openPage(browser, `${site.url}#g=f5&b=${encodeURIComponent(evil)}&w=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.ok((await page.locator(".side.turn, .side").first().textContent()).includes(evil));
  await paste(page, `(;GM[Othello]PC[x]PB[${evil}]PW[b]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)`);
  await page.waitForTimeout(500);
  await paste(page, `${evil} f5 z9`);
  await page.waitForTimeout(500);
  for (const fragment of ["#g=((((((((", "#s=XX&g=a1", "#g=a1a1a1", "#at=%00", `#g=${"f5".repeat(50_000)}`]) {
    await page.evaluate((hash) => (location.hash = hash), fragment);
    await page.waitForTimeout(50);
  }
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("body > script").count(), 0);
  await close(page);
});

test("all moves get values, and twenty empties a proven one", async () => {
  const page = await openPage(browser, oneFile);
  await pasteTwenty(page);
  await click(page, "Values of all moves");
  await page.waitForFunction(() => [...document.querySelectorAll(".left .cell.legal .value")].every((value) => value.textContent), null, { timeout: 60_000 });
  await cell(page, "a1").focus();
  await page.keyboard.press("v");
  assert.equal(await page.locator(".left .cell.valued").count(), 0);
  await click(page, "Solve exactly");
  await page.waitForFunction(() => /^Proven: .* =/.test(document.querySelector(".solved").textContent), null, { timeout: 120_000 });
  await close(page);
});

test("several workers solve what one solves", async () => {
  const found = [];
  for (const cores of [1, 4]) {
    const page = await openPage(browser, oneFile, { cores });
    await pasteTwenty(page);
    await click(page, "Solve exactly");
    await page.waitForFunction(() => /^Proven: .* =/.test(document.querySelector(".solved").textContent), null, { timeout: 120_000 });
    found.push((await page.locator(".solved").textContent()).replace(/ · .*/, ""));
    assert.equal(await page.locator(".left .cell.best").count(), 1);
    await close(page);
  }
  assert.deepEqual(found, ["Proven: +38 =", "Proven: +38 ="]);
});

test("a search is stopped within 50 ms, and what it found stays", async () => {
  const page = await openPage(browser, oneFile, { cores: 2 });
  const took = [];
  for (let i = 0; i < 20; i++) {
    await click(page, "Solve exactly");
    await page.waitForFunction(() => /nodes/.test(document.querySelector(".solved").textContent), null, { timeout: 60_000 });
    // By the page's clock: from the click until the page says so, and would start another search.
    took.push(await page.evaluate(() => new Promise((resolve) => {
      const solved = document.querySelector(".solved");
      const from = performance.now();
      new MutationObserver(() => solved.textContent.startsWith("Stopped") && resolve(performance.now() - from)).observe(solved, { childList: true, characterData: true, subtree: true });
      [...document.querySelectorAll("button")].find((button) => button.textContent === "Stop").click();
    })));
    assert.match(await page.locator(".solved").textContent(), /^Stopped; so far: .* nodes/);
  }
  // A busy machine delays some of them.
  const median = took.sort((a, b) => a - b)[10];
  assert.ok(median < 50, `median ${median} ms of ${took}`);
  await close(page);
});

test("a killed worker leaves a page that works", async () => {
  const page = await openPage(browser, oneFile);
  await click(page, "Solve exactly");
  await page.waitForTimeout(300);
  await page.evaluate(() => globalThis.emilia.kill());
  await page.getByRole("alert").waitFor();
  await cell(page, "f5").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 2, null, { timeout: 30_000 });
  await close(page);
});

/** Opens the site with files of it that do not come until `isDown` is false; `answer`: what comes instead; `asked`: how often. */
async function openWithout(files, answer) {
  const without = { isDown: true, asked: 0 };
  const prepare = (page) => page.route(files, (route) => {
    without.asked += 1;
    return without.isDown ? answer(route) : route.continue();
  });
  return { without, page: await openPage(browser, site.url, { serviceWorkers: "block", prepare }) };
}

const isHinted = (page) => page.locator(".left .cell.hint").waitFor({ timeout: 60_000 });
const hasMoves = (page, count) => page.waitForFunction((count) => document.querySelectorAll(".moves .move").length === count, count, { timeout: 60_000 });

/** The page says that a file did not come. */
async function misses(page, file) {
  await page.getByRole("alert").filter({ hasText: /did not come/ }).waitFor();
  assert.match(await page.getByRole("alert").textContent(), file);
}

/** Chromium notes what did not come. */
async function closeWithout(page) {
  page.faults = page.faults.filter((fault) => !fault.includes("Failed to load resource"));
  await close(page);
}

const ABSENT = {
  "no network": (route) => route.abort(),
  "an error of the host": (route) => route.fulfill({ status: 503, body: "later" }),
  "a page that wants a password": (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
};

for (const [file, pattern] of [["the engine", "**/engine-*.wasm"], ["the weights", "**/weights-0-*.bin"]]) {
  for (const [why, answer] of Object.entries(ABSENT)) {
    test(`${file} did not come, ${why}: the next request asks again`, async () => {
      const { page, without } = await openWithout(pattern, answer);
      await cell(page, "f5").click();
      await misses(page, file === "the engine" ? /engine-/ : /weights-0-/);
      // Each request asks again.
      const { asked } = without;
      await click(page, "Hint");
      while (without.asked === asked) await page.waitForTimeout(20);
      await misses(page, /./);
      without.isDown = false;
      await click(page, "Hint");
      await isHinted(page);
      assert.equal(await page.getByRole("alert").count(), 0);
      await click(page, "Play on");
      await hasMoves(page, 2);
      await closeWithout(page);
    });
  }
}

test("values, a solve and an analysis ask again for weights that did not come", async () => {
  const { page, without } = await openWithout("**/weights-2-*.bin", ABSENT["no network"]);
  await pasteTwenty(page);
  for (const [name, found] of [
    ["Values of all moves", () => page.locator(".left .cell.valued").first().waitFor({ timeout: 60_000 })],
    ["Solve exactly", () => page.locator(".solved").filter({ hasText: "Proven: +38 =" }).waitFor({ timeout: 120_000 })],
  ]) {
    without.isDown = true;
    await page.reload();
    await click(page, name);
    await misses(page, /weights-2-/);
    without.isDown = false;
    if (name.startsWith("Values")) await click(page, name);
    await click(page, name);
    await found();
    assert.equal(await page.getByRole("alert").count(), 0);
  }
  without.isDown = true;
  await page.goto("about:blank");
  await page.goto(`${site.url}#g=f5d6c3d3`);
  await openPanel(page, "Study");
  await page.getByRole("combobox", { name: "Effort of the analysis" }).selectOption("quick");
  await click(page, "Analyse the game");
  await misses(page, /weights-2-/);
  without.isDown = false;
  await click(page, "Analyse the game");
  await page.locator(".table tbody tr").first().waitFor({ timeout: 120_000 });
  await closeWithout(page);
});

test("with a part of the weights the game goes on, also in the worker that stands by", async () => {
  const { page, without } = await openWithout("**/weights-1-*.bin", ABSENT["no network"]);
  await cell(page, "f5").click();
  await hasMoves(page, 2);
  // A stopped search leaves its place to the worker that stands by, which misses the same part.
  await click(page, "Hint");
  await page.waitForTimeout(200);
  await page.locator(LEGAL).first().click();
  await hasMoves(page, 4);
  assert.equal(await page.getByRole("alert").count(), 0);
  await click(page, "Hint");
  await page.waitForTimeout(200);
  await pasteTwenty(page);
  await click(page, "Hint");
  await misses(page, /weights-1-/);
  without.isDown = false;
  await click(page, "Hint");
  await isHinted(page);
  await closeWithout(page);
});

test("the model of people did not come: the next move asks again", async () => {
  const { page, without } = await openWithout("**/people-*.bin", ABSENT["no network"]);
  await cell(page, "f5").click();
  await misses(page, /people-/);
  without.isDown = false;
  await click(page, "Play on");
  await hasMoves(page, 2);
  await closeWithout(page);
});

test("the checker of proofs did not come: the proof is not called wrong, and the next one is checked", async () => {
  const { page, without } = await openWithout("**/checker-*.wasm", ABSENT["no network"]);
  const proof = readFileSync(`${root}verify/tests/win-36.proof`);
  await drop(page, "win.proof", proof);
  await misses(page, /checker-/);
  assert.equal(await page.getByText("This file proves nothing").count(), 0);
  without.isDown = false;
  await drop(page, "win.proof", proof);
  await page.getByText("Proven:").first().waitFor({ timeout: 60_000 });
  await closeWithout(page);
});

test("the analysis of a game is that of `emilia analyze --threads 1`", { skip: !existsSync(native) && "no native program" }, async () => {
  const flags = ["analyze", "--json", "--threads", "1", "--depth", "12", "--exact", "18", "--wld", "20", "--hash", "64", "--rating", "1500", GAME];
  const { moves, white_strength: white } = JSON.parse(execFileSync(native, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  // In whole discs.
  const minus = (text) => (/^[+-]/.test(text) ? text[0] + Math.round(Number(text.slice(1))) : text).replaceAll("-", "\u2212");
  const expected = moves.map((move) => [move.number, move.played, move.before_text, move.after_text].map((one) => minus(String(one))));
  const page = await openPage(browser, `${oneFile}#g=${GAME}`);
  const rowsOf = (page, columns) => page.locator(".table tbody tr").evaluateAll((rows, columns) => rows.map((row) => columns.map((at) => row.cells[at].textContent)), columns);
  const isAnalysed = () => page.locator(".table tbody tr").first().waitFor({ timeout: 200_000 });
  await openPanel(page, "Study");
  await page.getByRole("combobox", { name: "Effort of the analysis" }).selectOption("quick");
  await click(page, "Analyse the game");
  await isAnalysed();
  assert.deepEqual(await rowsOf(page, [0, 1, 2, 3]), expected);
  // Nobody has asked for players of a rating.
  assert.equal(await page.locator(".table th").count(), 6);
  assert.equal(await page.getByText(/What players of/).count(), 0);
  // What is worse than best play by four discs or more is a turning point, and a click shows it.
  await page.locator(".turns button").first().click();
  assert.equal(await page.locator(".moves [aria-current]").count(), 1);
  await page.locator(".about .picture").waitFor();

  await openPanel(page, "Study");
  await page.getByLabel("As players of rating").fill("1500");
  await click(page, "Analyse the game");
  await page.waitForFunction(() => !document.querySelector(".table"));
  await isAnalysed();
  const shares = moves.map(({ share }, i) => [...expected[i], `${Math.round(100 * share)}%`]);
  assert.deepEqual(await rowsOf(page, [0, 1, 2, 3, 5]), shares);
  await page.getByText("What players of 1500 find").waitFor();
  const remarked = moves.filter(({ remark }) => remark).map(({ number, played }) => `${number}. ${played}`);
  assert.deepEqual(await page.locator(".remarks button").allTextContents(), remarked);
  assert.ok(remarked.length > 0);
  await page.getByText(`White plays like ${white.estimate} ± ${white.error}, by ${white.moves} moves`).waitFor();
  await page.locator(".remarks button").first().click();
  await page.getByText(/of players like that play it/).waitFor();
  // The rating stays for the next visit.
  await page.reload();
  await isReady(page);
  await openPanel(page, "Study");
  assert.equal(await page.getByLabel("As players of rating").inputValue(), "1500");
  await close(page);
});

test("the page of `emilia analyze --html` asks for better moves, and answers", { skip: !existsSync(native) && "no native program" }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/emilia-`);
  const flags = ["analyze", "--json", "--threads", "1", "--depth", "4", "--exact", "10", "--wld", "12", "--hash", "16", "--html", `${folder}/page.html`, GAME];
  const { moves } = JSON.parse(execFileSync(native, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  const page = await openPage(browser, pathToFileURL(`${folder}/page.html`).href, { isReport: true });
  await page.getByText("Find better").click();
  const tasks = page.locator(".turns details");
  assert.ok((await tasks.count()) > 1);
  for (const task of await tasks.all()) {
    const [, number, played] = /^(\d+)\..*better than ([a-h][1-8])\?/.exec(await task.locator("summary").textContent());
    const move = moves.find((one) => one.number === Number(number));
    assert.equal(move.played, played);
    assert.notEqual(move.best, played);
    const answer = task.locator("p").filter({ hasText: `better ${move.best} ` });
    assert.equal(await answer.isVisible(), false);
    await task.locator("summary").click();
    assert.equal(await answer.isVisible(), true);
  }
  rmSync(folder, { recursive: true });
  await close(page);
});

test("a proof is verified and played against; a damaged one is not", async () => {
  const page = await openPage(browser, oneFile);
  const proof = readFileSync(`${root}verify/tests/win-36.proof`);
  await drop(page, "win.proof", proof);
  await page.getByText("Proven:").first().waitFor({ timeout: 60_000 });
  await click(page, "Play against the proof");
  // The claimant, the side to move at the root, answers whatever is played, below its leaves too.
  const grown = (count) => page.waitForFunction((count) => document.querySelectorAll(".moves .move").length >= count, count, { timeout: 30_000 });
  await grown(1);
  for (let i = 0; i < 40 && !(await isOver(page)); i++) {
    if (/Black to move/.test(await status(page))) await page.locator(LEGAL).last().click();
    await page.waitForTimeout(400);
  }
  // White, the claimant, is to win by two discs at least.
  assert.match(await status(page), /^White wins/);
  const damaged = Buffer.from(proof);
  damaged[damaged.length >> 1] ^= 1;
  await drop(page, "bad.proof", damaged);
  await page.getByText("This file proves nothing").first().waitFor({ timeout: 60_000 });
  await close(page);
});

test("without a network the site still plays", async () => {
  const page = await openPage(browser, site.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length > 0 && navigator.serviceWorker.controller);
  await page.context().setOffline(true);
  await page.reload();
  await cell(page, "f5").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 2, null, { timeout: 30_000 });
  page.faults = page.faults.filter((fault) => !fault.includes("ERR_INTERNET_DISCONNECTED"));
  await close(page);
});

test("a phone has no sideways scrolling, and everything has a name", async () => {
  for (const [width, scale] of [[320, 1], [640, 2], [3840, 1]]) {
    const page = await openPage(browser, `${oneFile}#g=${GAME}`, { viewport: { width, height: 700 }, deviceScaleFactor: scale });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, textarea, input, [role=grid], [role=gridcell]")].filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML));
    assert.deepEqual(nameless, []);
    assert.equal(await page.locator(".left [role=row] > [role=gridcell]").count(), 64);
    await close(page);
  }
});

// Some of them are windows at 200%.
const SIZES = [[1440, 900], [1280, 640], [844, 390], [390, 844], [360, 640], [768, 1024], [720, 450], [640, 320], [384, 512], [320, 700]];

test("board, players and buttons are seen whole at all sizes", async () => {
  for (const [width, height] of SIZES) {
    const page = await openPage(browser, `${oneFile}#g=${GAME}&at=f5f6`, { viewport: { width, height } });
    const cut = await page.evaluate(() => {
      const all = [...document.querySelectorAll(".left .board, .left .side, .left .status, .left .bar button, header button, header select")].filter((one) => !one.hidden);
      const boxes = all.map((one) => [one.className || one.textContent, one.getBoundingClientRect()]);
      const isCut = ([, box]) => box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight || box.width < 10;
      const meets = ([, a], [, b]) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
      const covered = boxes.filter((one, i) => boxes.some((other, j) => i < j && meets(one, other)));
      return [...boxes.filter(isCut), ...covered].map(([name, { left, top, right, bottom }]) => `${name} ${[left, top, right, bottom].map(Math.round)}`);
    });
    assert.deepEqual(cut, [], `${width}x${height}`);
    const board = await page.locator(".left .board").boundingBox();
    // The smaller of width and height, less what stands beside it.
    assert.ok(board.width >= Math.min(width - 320, height - 20) - 1 || board.width >= Math.min(width - 20, height - 225) - 1, `${width}x${height}: ${board.width}`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    await close(page);
  }
});

test("the page speaks Japanese", async () => {
  const page = await openPage(browser, oneFile, { locale: "ja-JP" });
  assert.equal(await status(page), "黒の番です");
  await page.locator("header select").selectOption("en");
  assert.equal(await status(page), "Black to move");
  await close(page);
});

test("axe finds nothing on the page and in its dialogs", async () => {
  const faults = async (page) => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  };
  for (const options of [{}, { colorScheme: "dark" }, { viewport: { width: 360, height: 740 } }, { locale: "ja-JP" }]) {
    const page = await openPage(browser, `${site.url}#g=f5d6(f4)c3d3&at=f5d6`, options);
    await openPanel(page, options.locale ? "検討" : "Study");
    await page.locator("input[type=number]").fill("1500");
    await cell(page, "c3").focus();
    await page.keyboard.press("v");
    await page.locator(".left .cell.valued").first().waitFor({ timeout: 60_000 });
    await page.keyboard.press("a");
    await page.locator(".table tbody tr").first().waitFor({ timeout: 120_000 });
    assert.deepEqual(await faults(page), [], JSON.stringify(options));
    const panels = options.locale ? { play: "対局", games: "棋譜" } : { play: "Play", games: "Games" };
    for (const opens of [...[0, 1, 2].map((at) => [undefined, page.locator("header button").nth(at)]), [panels.games, page.locator(".paste button").nth(2)]]) {
      if (opens[0]) await openPanel(page, opens[0]);
      assert.deepEqual(await faults(page), [], JSON.stringify(options));
      await opens[1].click();
      await page.locator("dialog").waitFor();
      assert.deepEqual(await faults(page), [], JSON.stringify(options));
      await page.keyboard.press("Escape");
    }
    await close(page);
  }
});

test("a position is set up by keyboard and played on by either side", async () => {
  const page = await openPage(browser, oneFile);
  await click(page, "Set up a position");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Clear" }).click();
  // a1 black, b1 white; Black to move plays c1.
  await dialog.locator('[role=gridcell][aria-label^="a1,"]').click();
  for (let i = 0; i < 2; i++) await dialog.locator('[role=gridcell][aria-label^="b1,"]').press("Enter");
  await dialog.getByRole("button", { name: "Use this position" }).click();
  // The dialog hands over when it has closed.
  await page.waitForFunction((legal) => document.querySelectorAll(legal).length === 1, LEGAL);
  await cell(page, "c1").click();
  assert.match(await status(page), /Black wins 64–0. The 61 empty squares count for the winner/);
  await paste(page, "f5d6c3");
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 3);
  await click(page, "New game");
  await dialog.getByLabel("You play").selectOption("X");
  await dialog.getByLabel("Begin with").selectOption("here");
  await dialog.getByRole("button", { name: "Start" }).click();
  // The engine answers for White, the side to move.
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 4, null, { timeout: 30_000 });
  await close(page);
});

test("moves are taken back, hinted at, and run a clock", async () => {
  const page = await openPage(browser, oneFile);
  await click(page, "New game");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Clock").selectOption("1");
  await dialog.getByLabel("Strength").selectOption("l1");
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.locator(".side.turn .clock").filter({ hasText: /^(1:00|0:5\d)$/ }).waitFor();
  await click(page, "Hint");
  await page.locator(".cell.hint").waitFor({ timeout: 30_000 });
  await cell(page, "f5").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 2, null, { timeout: 30_000 });
  await click(page, "Take back");
  assert.match(await status(page), /Black to move/);
  await cell(page, "d3").click();
  await page.waitForFunction(() => document.querySelectorAll(".left .cell.legal").length > 0, null, { timeout: 30_000 });
  // The first move is still there, as a variation.
  await page.getByRole("button", { name: "To the start" }).click();
  await page.getByRole("button", { name: "One move on" }).click();
  await page.getByRole("button", { name: "d3", exact: true }).click();
  await click(page, "Make this the main line");
  assert.equal((await moveNames(page))[0], "d3");
  await close(page);
});

test("the game goes out as text, link and picture", inChromium, async () => {
  const page = await openPage(browser, `${site.url}#g=f5d6c3&b=ann`, { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = async (name) => {
    await click(page, name);
    await page.getByText("Copied.").first().waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(await copied("Copy moves"), "f5d6c3");
  assert.match(await copied("Copy board"), /^[-XO]{64} X$/);
  assert.match(await copied("Copy GGF"), /^\(;GM\[Othello\].*PB\[ann\].*B\[f5\]W\[d6\]B\[c3\];\)$/);
  const link = await copied("Copy link");
  await page.goto("about:blank");
  await page.goto(link);
  assert.deepEqual(await moveNames(page), ["f5", "d6", "c3"]);
  for (const [name, magic] of [["Save PNG", [0x89, 0x50]], ["Save SVG", [0x3c, 0x73]]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), click(page, name)]);
    const bytes = readFileSync(await download.path());
    assert.deepEqual([...bytes.subarray(0, 2)], magic);
  }
  await close(page);
});

test("the site can be installed, and its policy allows no other script", async () => {
  const page = await openPage(browser, site.url);
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector("link[rel=manifest]").href)).json());
  assert.equal(manifest.display, "standalone");
  assert.deepEqual(manifest.icons.map(({ sizes }) => sizes), ["192x192", "512x512"]);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.inlineRan = true";
    document.body.append(script);
    return globalThis.inlineRan === true;
  });
  assert.equal(ran, false);
  assert.ok(page.faults.every((fault) => fault.includes("Content Security Policy")));
  page.faults = [];
  await close(page);
});

test("who wants less motion sees none", inChromium, async () => {
  const page = await openPage(browser, oneFile, { reducedMotion: "reduce" });
  const moving = await page.evaluate(() => document.getAnimations().length + [...document.querySelectorAll(".disc")].filter((disc) => getComputedStyle(disc).animationName !== "none").length);
  assert.equal(moving, 0);
  await close(page);
});

const link = (page) => page.evaluate(() => history.state.game.link);
const playsTwo = async (page) => {
  await cell(page, "f5").click();
  await hasMoves(page, 2);
};
const linked = `${oneFile}#g=f5d6c3&at=f5d6c3`;

/** What happens to a game of some moves, and how it is found again: by itself, or (`listed`) among the past games. */
const WAYS = {
  "a reload": { act: (page) => page.reload() },
  "a reload just after a move": { plays: (page) => cell(page, "f5").click(), act: (page) => page.reload() },
  "a reload of a link that was played on": { url: linked, act: (page) => page.reload() },
  "another link, and back": { url: linked, act: async (page) => (await page.evaluate(() => (location.hash = "#g=f5f6")), await hasMoves(page, 2), await page.goBack()) },
  "back to an earlier link, and forward": { url: linked, plays: async (page) => (await page.evaluate(() => (location.hash = "#g=f5f6e6")), await hasMoves(page, 3)), act: async (page) => (await page.goBack(), await page.waitForFunction(() => history.state.game.link.includes("d6")), await page.goForward()) },
  "another page, and back": { act: async (page) => (await page.goto("about:blank"), await page.goBack()) },
  "a new game": { act: newGame, listed: true },
  "a new game, and back": { act: async (page) => (await newGame(page), await page.goBack()) },
  "a new game after a link": { url: linked, act: newGame, listed: true },
  "a rematch": { act: async (page) => { await click(page, "Resign"); await page.getByRole("dialog").getByRole("button", { name: "Rematch" }).click(); }, listed: true },
  "a pasted game": { act: async (page) => (await paste(page, "f5f6e6f4"), await page.waitForFunction(() => history.state.game.link.includes("f5f6e6f4"))), listed: true },
  "a pasted link": { act: async (page) => (await paste(page, "https://example.org/#g=f5f4"), await page.waitForFunction(() => history.state.game.link.includes("g=f5f4"))), listed: true },
  "a pasted text that is no game": { act: (page) => paste(page, "nothing at all") },
  "a dropped game": { act: async (page) => (await drop(page, "x.txt", Buffer.from("f5f6e6f4\n")), await page.waitForFunction(() => history.state.game.link.includes("f5f6e6f4"))), listed: true },
  "a position that is set up": { act: async (page) => { await click(page, "Set up a position"); await page.getByRole("dialog").getByRole("button", { name: "Use this position" }).click(); await page.waitForFunction(() => history.state.game.link.includes("s=")); }, listed: true },
  "a look at the start, and a reload": { act: async (page) => (await click(page, "To the start"), await page.waitForTimeout(400), await page.reload()) },
  "a look back, and on": { act: async (page) => (await click(page, "To the start"), await click(page, "Back to the game")) },
  "taking back": { act: (page) => click(page, "Take back"), tree: true },
  "taking back, and a reload": { act: async (page) => (await click(page, "Take back"), await page.waitForTimeout(400), await page.reload()), tree: true },
  "another move after taking back": { act: async (page) => (await click(page, "Take back"), await cell(page, "d3").click(), await page.waitForTimeout(400), await page.reload()), tree: true },
  "the end of all workers": { act: (page) => page.evaluate(() => globalThis.emilia.kill()) },
  "the end of all workers while one thinks": { plays: (page) => cell(page, "f5").click(), act: (page) => page.evaluate(() => globalThis.emilia.kill()) },
  "another language": { act: (page) => page.locator("header select").selectOption("ja") },
  "another opponent": { act: (page) => page.getByLabel("Opponent").selectOption("6") },
  "full storage": { prepare: (page) => page.addInitScript(() => (IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); })), act: (page) => page.reload() },
  "no storage at all": { prepare: (page) => page.addInitScript(() => Object.defineProperty(globalThis, "indexedDB", { value: undefined })), act: (page) => page.reload() },
  "a second tab": { act: async (page) => { const other = await page.context().newPage(); await other.goto(oneFile); await isReady(other); await cell(other, "d3").click(); await hasMoves(other, 2); await other.close(); } },
  "a second tab, and a reload": { act: async (page) => { const other = await page.context().newPage(); await other.goto(oneFile); await isReady(other); await cell(other, "d3").click(); await hasMoves(other, 2); await page.reload(); await other.close(); } },
  "the tab is closed, and another opened": { act: async (page) => { const other = await page.context().newPage(); await page.close(); await other.goto(oneFile); await isReady(other); return other; } },
  "a clock, and a reload": { clock: "1", act: (page) => page.reload() },
  "a clock, a look back, and a reload": { clock: "1", act: async (page) => (await click(page, "To the start"), await page.waitForTimeout(400), await page.reload(), await isReady(page), await click(page, "Back to the game")) },
};

async function newGame(page, clock = "0") {
  await page.locator("header").getByRole("button", { name: "New game" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Clock").selectOption(clock);
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.waitForFunction(() => !document.querySelector("dialog"));
}

test("no way to lose a game loses it", async () => {
  for (const [name, { url = oneFile, prepare, plays = playsTwo, act, listed, tree, clock }] of Object.entries(WAYS)) {
    let page = await openPage(browser, url, { prepare });
    if (clock) await newGame(page, clock);
    if (url === linked && plays === playsTwo) {
      await cell(page, "d3").click();
      await hasMoves(page, 4);
    } else await plays(page);
    await page.waitForTimeout(30);
    const moves = (await moveNames(page)).join("");
    const left = await act(page);
    if (left?.context) page = left;
    await page.waitForTimeout(150);
    await isReady(page);
    if (listed) {
      await openPanel(page, "Games");
      await page.locator(".kept li button.link:not([aria-current])").first().click();
    }
    // Variations stand in brackets.
    const has = (moves) => page.waitForFunction((moves) => history.state?.game.link.replace(/\(.*\)/, "").includes(moves), moves, { timeout: 5_000 });
    await has(moves).catch(async () => assert.fail(`${name}: ${moves} is lost, ${await link(page)}`));
    if (!tree) assert.ok((await moveNames(page)).join("").startsWith(moves), `${name}: shows ${await moveNames(page)}`);
    if (clock) assert.match(await page.locator(".side .clock").first().textContent(), /^0:[2-5]\d$|^1:00$/, name);
    await page.context().close();
  }
});

// Black plays c6; White has one move, b1, and Black none then.
const PASSING = "f5f4c3c4f3c2b3a3a2a4c1g4h4e6a5d1f7c5";

test("an own pass stays until it is seen, by click or key, and after a reload", async () => {
  const page = await openPage(browser, `${oneFile}#g=${PASSING}&at=${PASSING}`);
  await cell(page, "c6").click();
  await page.locator(".status").filter({ hasText: "no move and pass" }).waitFor({ timeout: 30_000 });
  await page.waitForTimeout(600);
  await page.reload();
  await isReady(page);
  assert.match(await status(page), /no move and pass/);
  assert.equal((await moveNames(page)).at(-1), "b1 – pass");
  await cell(page, "a1").focus();
  await page.keyboard.press("Enter");
  await hasMoves(page, 21);
  await close(page);
});

test("a button that goes leaves the focus on what stands there now, or on the board", async () => {
  const page = await openPage(browser, `${oneFile}#g=${PASSING}&at=${PASSING}`);
  const press = (name) => page.getByRole("button", { name, exact: true }).press("Enter");
  const isOn = (name) => page.waitForFunction((name) => document.activeElement?.textContent === name, name, { timeout: 10_000 });
  await cell(page, "c6").click();
  await press("Pass");
  assert.ok(await onBoard(page), "pass");
  await hasMoves(page, 21);
  await press("To the start");
  assert.ok(await onBoard(page), "the first");
  await openPanel(page, "Study");
  await press("Solve exactly");
  await isOn("Stop");
  await openPanel(page, "Train");
  await press("Show the answer");
  await isOn("Next");
  await close(page);
});

/** What cannot be read, and what is marked of it in the box. */
const UNREAD = {
  "no game at all": { marked: "no", en: /Line 1, column 1/, ja: /1行目1文字目/ },
  "f5d6c3z9": { moves: 3, en: /Move 4. z9 is not legal/, ja: /4. z9 は打てない手/ },
  "f5f6h8d3": { moves: 2, en: /h8/, ja: /h8/ },
  "XXO-": { en: /Line 1, column 5/, ja: /1行目5文字目/ },
  "hello\n[[[": { en: /Line \d, column \d/, ja: /行目/ },
  [`(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5]TY[8]BO[8 ${"-".repeat(27)}O*------*O${"-".repeat(27)} *]B[a1];)`]: { en: /./, ja: /./ },
};

test("a text that cannot be read stays in its box, its place marked and in view, in the page's language", async () => {
  for (const [locale, language] of [["en-US", "en"], ["ja-JP", "ja"]]) {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 360, height: 640 }]) {
      const page = await openPage(browser, oneFile, { locale, viewport });
      for (const [text, expected] of Object.entries(UNREAD)) {
        await paste(page, text);
        const area = page.locator(".paste textarea");
        await page.waitForFunction((text) => document.querySelector(".paste textarea")?.value === text, text, { timeout: 30_000 });
        assert.match(await page.locator(".paste [role=alert]").textContent(), expected[language], text);
        if (expected.marked) assert.equal(await area.evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd)), expected.marked);
        if (expected.moves) assert.equal((await moveNames(page)).length, expected.moves);
        await page.waitForTimeout(100);
        const box = await area.boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= viewport.height, `${text} ${viewport.width}: ${box.y}`);
      }
      await close(page);
    }
  }
});

test("a link with a bad move is open up to it", async () => {
  const page = await openPage(browser, `${oneFile}#g=f5d6c3a1`);
  assert.deepEqual(await moveNames(page), ["f5", "d6", "c3"]);
  assert.match(await page.getByRole("alert").first().textContent(), /Move 4. a1 is not legal/);
  await close(page);
});

test("arrows, wheel and letters do what hands expect", async () => {
  const page = await openPage(browser, `${oneFile}#g=${GAME}`);
  const shown = () => page.locator(".moves [aria-current]").allTextContents();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await shown(), ["f6"]);
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(await shown(), ["f5"]);
  await page.locator(".left .board").hover();
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(() => document.querySelector(".moves [aria-current]")?.textContent === "f6");
  await cell(page, "a1").focus();
  await page.keyboard.press(".");
  assert.deepEqual(await shown(), ["e6"]);
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.querySelector(".left .cell").getAttribute("aria-label").startsWith("h8"));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Rules and keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Board and sounds" }).first().click();
  await page.getByRole("dialog").getByLabel("Colours").selectOption("blue");
  await page.getByRole("dialog").getByLabel("Mark legal moves").uncheck();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.colours), "blue");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".board.bare").count(), 1);
  await close(page);
});

test("a game is resigned, hurried, played by rating, and goes out with its result", inChromium, async () => {
  const page = await openPage(browser, site.url, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("header").getByRole("button", { name: "New game" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Strength").selectOption("r");
  await dialog.getByRole("spinbutton").fill("1500");
  assert.match(await dialog.textContent(), /an average tournament player/);
  await dialog.getByRole("button", { name: "Start" }).click();
  await cell(page, "f5").click();
  await hasMoves(page, 2);
  await page.locator("header").getByRole("button", { name: "New game" }).click();
  await dialog.getByLabel("Strength").selectOption("s10");
  await dialog.getByRole("button", { name: "Start" }).click();
  await cell(page, "f5").click();
  await page.locator(".status").filter({ hasText: "White is thinking" }).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(300);
  await click(page, "Move now");
  await page.waitForFunction(() => document.querySelectorAll(".moves .move").length === 2, null, { timeout: 5_000 });
  await click(page, "Hint");
  await page.locator(".cell.hint .value").filter({ hasText: /^[+−]\d+$/ }).waitFor({ timeout: 30_000 });
  await click(page, "Resign");
  await dialog.getByText("White wins: the other side has resigned").waitFor();
  await page.keyboard.press("Escape");
  await click(page, "Copy GGF");
  await page.getByText("Copied.").first().waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /RE\[-64\.000:r\]/);
  await page.goto("about:blank");
  await page.goto(`${site.url}#g=f5d6c5f4e7f6g5e6e3`);
  await isReady(page);
  await click(page, "Copy GGF");
  await page.getByText("Copied.").first().waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /RE\[\+64\.000\]/);
  await close(page);
});

test("names and notes are kept, games found, deleted, taken in and out", inChromium, async () => {
  const page = await openPage(browser, oneFile);
  await paste(page, "f5d6c3d3\n\nf5f6e6\n");
  await page.getByRole("dialog").getByRole("button", { name: "Keep all" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".kept button.link").length === 2);
  await page.locator(".kept button.link").first().click();
  await page.getByLabel("Name of Black").fill("ann");
  // The page is left before the list has them: the history has.
  await page.evaluate(() => (IDBObjectStore.prototype.put = () => { throw new DOMException("left", "AbortError"); }));
  await page.getByLabel("Notes").fill("a close one");
  await page.getByLabel("Notes").blur();
  await page.reload();
  await isReady(page);
  await openPanel(page, "Games");
  assert.equal(await page.getByLabel("Notes").inputValue(), "a close one");
  await page.getByLabel("Find").fill("close");
  await page.waitForFunction(() => document.querySelectorAll(".kept button.link").length === 1);
  assert.match(await page.locator(".kept li").textContent(), /ann – White/);
  const [download] = await Promise.all([page.waitForEvent("download"), click(page, "Save all as GGF")]);
  assert.match(readFileSync(await download.path(), "utf8"), /^\(;GM\[Othello\].*\n\(;GM\[Othello\].*\n$/);
  await page.getByLabel("Find").fill("");
  await page.locator(".kept li button.quiet:enabled").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".kept button.link").length === 1);
  await close(page);
});

test("without WebAssembly the page says what is missing, and is no network", async () => {
  const page = await openPage(browser, oneFile, { prepare: (page) => page.addInitScript(() => delete globalThis.WebAssembly) });
  await cell(page, "f5").click();
  await page.getByRole("alert").filter({ hasText: "This browser has no WebAssembly" }).waitFor();
  await close(page);
});

test("on paper there are discs, the moves, and no buttons", inChromium, async () => {
  const page = await openPage(browser, `${oneFile}#g=${GAME}&at=${GAME}`);
  await page.emulateMedia({ media: "print" });
  const seen = await page.evaluate(() => ({
    buttons: [...document.querySelectorAll("header button, .bar button, .tabs button")].filter((one) => one.getBoundingClientRect().width).length,
    black: getComputedStyle(document.querySelector(".cell.X .disc")).borderTopWidth, white: getComputedStyle(document.querySelector(".cell.O .disc")).borderTopStyle,
  }));
  assert.deepEqual([seen.buttons, seen.white, parseFloat(seen.black) > 5], [0, "solid", true]);
  const pdf = await page.pdf({ format: "A4" });
  assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length, 1);
  await close(page);
});

const training = (page) => page.locator(".training .verdict");
/** Solves the puzzle that is shown, by what the page says of it in its file. */
async function answerWrong(page) {
  for (let i = 0; i < 60; i++) {
    if (await page.getByRole("button", { name: "Next", exact: true }).count()) return;
    if (await page.getByLabel("Final score").isVisible()) {
      await page.getByLabel("Final score").fill("63");
      await page.getByRole("button", { name: "Answer", exact: true }).click();
    } else {
      const legal = page.locator(".training .cell.legal");
      const before = await page.locator(".training").textContent();
      await legal.nth(i % (await legal.count())).click();
      await page.waitForFunction((before) => document.querySelector(".training").textContent !== before || document.querySelector(".training div.bar button.primary:not([hidden])"), before, { timeout: 3_000 }).catch(() => {});
      await page.waitForFunction(() => !/Proving/.test(document.querySelector(".training .verdict").textContent), null, { timeout: 30_000 });
    }
  }
  assert.fail("no end");
}

test("puzzles are solved and missed, counted, and come back; progress goes out and in", inChromium, async () => {
  const page = await openPage(browser, site.url);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await openPanel(page, "Train");
  await page.locator(".training .cell.X").first().waitFor();
  assert.ok(asked.some((url) => url.includes("puzzles-")));
  assert.equal(await page.locator(".left:not(.training) .board").isVisible(), false);
  for (let i = 0; i < 3; i++) {
    await answerWrong(page);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.waitForFunction(() => !document.querySelector(".training div.bar button.primary:not([hidden])"));
  }
  await page.getByText(/^\d+ solved, \d+ missed/).waitFor();
  const stats = await page.locator(".stats").textContent();
  assert.match(stats, /Puzzle rating \d+ ± \d+/);
  for (const mode of ["Streak", "Puzzle of the day"]) {
    await click(page, mode);
    await page.locator(".training .question").filter({ hasText: "to move" }).waitFor();
  }
  const [download] = await Promise.all([page.waitForEvent("download"), click(page, "Save progress")]);
  const saved = readFileSync(await download.path());
  const log = JSON.parse(saved);
  assert.equal(log.format, "emilia-progress-1");
  // A reload keeps it, another device takes it in, twice is once.
  await page.reload();
  await isReady(page);
  await openPanel(page, "Train");
  await page.getByText(/^\d+ solved, \d+ missed/).waitFor();
  const other = await openPage(browser, oneFile);
  await openPanel(other, "Train");
  await other.locator(".training .cell.X").first().waitFor();
  for (const news of [log.log.length, 0]) {
    await other.getByLabel("Load progress", { exact: true }).and(other.locator("input")).setInputFiles({ name: "p.json", mimeType: "application/json", buffer: saved });
    await other.getByText(`${news} entries are new.`).waitFor();
  }
  await close(other);
  await openPanel(page, "Play");
  assert.equal(await cell(page, "f5").isVisible(), true);
  await close(page);
});

test("openings are drilled from the book, and what failed comes back", async () => {
  const page = await openPage(browser, site.url);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await openPanel(page, "Train");
  await page.locator(".training .cell.X").first().waitFor();
  assert.ok(!asked.some((url) => url.includes("book-")), "the book is not loaded before it is asked for");
  const isAsked = () => page.locator(".training .question").filter({ hasText: "What belongs here?" }).waitFor({ timeout: 60_000 });
  const isIdle = () => page.waitForFunction(() => !/Proving/.test(document.querySelector(".training .verdict").textContent), null, { timeout: 60_000 });
  await click(page, "Openings");
  await isAsked();
  assert.ok(asked.some((url) => url.includes("book-")));
  await isIdle();
  await click(page, "Show the answer");
  await training(page).filter({ hasText: /Best: [a-h][1-8]/ }).waitFor();
  const best = /Best: ([a-h][1-8])/.exec(await training(page).textContent())[1];
  const board = () => page.locator(".training .cell").evaluateAll((cells) => cells.map((one) => one.className.replace(/ (legal|last|hint)/g, "")).join());
  const missed = await board();
  // It is due some minutes later.
  await page.evaluate(() => (Date.now = ((now) => () => now() + 600_000)(Date.now)));
  await click(page, "Next");
  await isAsked();
  await isIdle();
  assert.equal(await board(), missed);
  const before = await page.locator(".training .question").textContent();
  await page.locator(`.training [role=gridcell][aria-label^="${best},"]`).click();
  await page.locator(".training .verdict").filter({ hasText: "Right!" }).waitFor({ timeout: 60_000 });
  // The line goes on, with the answer of the other side.
  await page.locator(".training .question").filter({ hasText: /What belongs here|to the end/ }).waitFor({ timeout: 60_000 });
  await isIdle();
  assert.ok(before && (await board()) !== missed);
  await close(page);
});

test("own lines of openings are asked for first, and nothing else is right in them", async () => {
  const page = await openPage(browser, oneFile);
  await openPanel(page, "Train");
  await page.locator(".training .cell.X").first().waitFor();
  await click(page, "Openings");
  const lines = page.getByLabel(/^My own lines/);
  await lines.fill("f5d6c3d3c4\nf5d5");
  await lines.blur();
  await page.getByText(/illegal move d5/).waitFor();
  await lines.fill("1. f5 d6 2. c3 d3 3. c4");
  await lines.blur();
  const cell = (name) => page.locator(`.training [role=gridcell][aria-label^="${name},"]`);
  const isAsked = (discs) => page.waitForFunction((n) => document.querySelectorAll(".training .cell.X, .training .cell.O").length === n, discs, { timeout: 60_000 });
  await isAsked(6);
  await cell("c3").click();
  await page.locator(".training .verdict").filter({ hasText: "Right!" }).waitFor({ timeout: 60_000 });
  await isAsked(8);
  await page.locator('.training .cell.legal:not([aria-label^="c4,"])').first().click();
  await training(page).filter({ hasText: /is not it. Best: c4/ }).waitFor({ timeout: 60_000 });
  await close(page);
});

for (const against of ["exact", "people"]) {
  test(`an endgame is played out against ${against === "exact" ? "the exact defence" : "people"}, and lost discs are counted`, async () => {
    const page = await openPage(browser, oneFile);
    await openPanel(page, "Train");
    await page.locator(".training .cell.X").first().waitFor();
    await click(page, "Endgame");
    await page.getByLabel("Empty squares").selectOption("8");
    await page.getByLabel("Against").selectOption(against);
    await page.locator(".training .question").filter({ hasText: against === "exact" ? /keep it against the exact/ : /keep it against players of 1500/ }).waitFor({ timeout: 120_000 });
    for (let i = 0; i < 12; i++) {
      await page.waitForFunction(() => !/Proving/.test(document.querySelector(".training .verdict").textContent), null, { timeout: 60_000 });
      if (await page.getByRole("button", { name: "Next", exact: true }).count()) break;
      await page.locator(".training .cell.legal").first().click();
    }
    assert.match(await training(page).textContent(), /^The end: (you have lost \d+ discs|nothing lost, perfect!)$/);
    await close(page);
  });
}

test("the list of moves has scores of the book, shares of people and names, when they are asked for", async () => {
  const page = await openPage(browser, `${site.url}#g=f5d6&at=f5d6`);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await openPanel(page, "Study");
  assert.ok(!asked.some((url) => url.includes("book-")));
  await click(page, "Show");
  await page.locator("table.known tbody tr").first().waitFor({ timeout: 60_000 });
  const rows = await page.locator("table.known tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map(({ textContent }) => textContent)));
  assert.deepEqual(rows.map(([move]) => move).sort(), ["c3", "c4", "c5", "c6", "c7"]);
  for (const [move, score, share] of rows) assert.match(`${move} ${score} ${share}`, /^[a-h][1-8] [+−]\d+=? \d+%$/);
  assert.ok(rows.some(([, , , name]) => name));
  await page.locator("table.known button").first().click();
  // The other side answers.
  await hasMoves(page, 4);
  // It stays for the next visit.
  await page.reload();
  await isReady(page);
  await openPanel(page, "Study");
  await page.locator("table.known tbody tr").first().waitFor({ timeout: 60_000 });
  await close(page);
});

test("mistakes of an analysed game become puzzles, with both boards", async () => {
  const page = await openPage(browser, `${oneFile}#g=${GAME}`);
  await openPanel(page, "Study");
  await page.getByRole("combobox", { name: "Effort of the analysis" }).selectOption("quick");
  await click(page, "Analyse the game");
  await page.getByRole("button", { name: /^Make puzzles of \d+ mistakes/ }).click({ timeout: 200_000 });
  await page.locator(".training .question").filter({ hasText: "find better" }).waitFor();
  await click(page, "Show the answer");
  await page.locator(".pair figure").nth(1).waitFor({ timeout: 60_000 });
  assert.match(await training(page).textContent(), /Best: [a-h][1-8]/);
  await openPanel(page, "Study");
  if (!isFirefox) {
    await page.emulateMedia({ media: "print" });
    const pdf = await page.pdf({ format: "A4" });
    assert.equal(pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g).length, 1);
    await page.emulateMedia({ media: "screen" });
  }
  // The moves' list has the marks, and they are words for the ear.
  assert.ok((await page.locator(".moves .move[data-mark]").count()) > 2);
  assert.match(await page.locator(".moves .move[data-mark='??']").first().getAttribute("aria-label"), /a serious mistake/);
  await close(page);
});

test("axe finds nothing in the trainer, the list of games and the end", async () => {
  for (const options of [{}, { colorScheme: "dark", viewport: { width: 360, height: 740 } }]) {
    const page = await openPage(browser, oneFile, options);
    const faults = async () => {
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    };
    await cell(page, "f5").click();
    await hasMoves(page, 2);
    await click(page, "Resign");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await faults(), []);
    await page.keyboard.press("Escape");
    await openPanel(page, "Games");
    await page.locator(".kept button.link").waitFor();
    assert.deepEqual(await faults(), []);
    await openPanel(page, "Train");
    await page.locator(".training .cell.X").first().waitFor();
    await answerWrong(page);
    assert.deepEqual(await faults(), []);
    await close(page);
  }
});
