// What the page costs and gives, on this computer: seconds to the first moves by connection, and nodes a second.
//
//   npm run measure -- [NATIVE]        NATIVE: an `emilia`, to compare nodes a second with
//
// Needs dist/ and a Chromium. The connection and the CPU are those of Chromium's throttling. A machine should do nothing else.

import { execFileSync } from "node:child_process";
import { cell, launch, serve } from "../tests/support.mjs";

const MBIT = 1_000_000 / 8;
/** Name, bytes a second (−1: no limit), milliseconds of latency, by how much the CPU is slower. */
const CONNECTIONS = [
  ["this computer", -1, 0, 1],
  ["50 Mbit/s, CPU / 4", 50 * MBIT, 20, 4],
  ["10 Mbit/s, CPU / 4", 10 * MBIT, 40, 4],
  ["3 Mbit/s, CPU / 6", 3 * MBIT, 100, 6],
];
const TRIES = 3;

const [native] = process.argv.slice(2);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Throttles the page: its loading, and its own thread; Chromium slows no workers. */
async function throttle(page, [, bytes, latency, slower]) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes });
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
}

/** Seconds until the board is there, and until the engine has moved: the first move of the game, or its answer to f5, which is played at once. */
async function firstMove(browser, url, connection, human) {
  const context = await browser.newContext({ serviceWorkers: "block" });
  await context.addInitScript((human) => localStorage.setItem("emilia.settings", JSON.stringify({ human, level: 3, seconds: 0, minutes: 0 })), human);
  const page = await context.newPage();
  await throttle(page, connection);
  const from = performance.now();
  await page.goto(url, { waitUntil: "commit", timeout: 120_000 });
  await cell(page, "a1").waitFor({ timeout: 120_000 });
  const board = performance.now();
  if (human === "X") await cell(page, "f5").click();
  await page.locator(".moves .move").nth(human === "X" ? 1 : 0).waitFor({ timeout: 120_000 });
  const move = performance.now();
  await context.close();
  return [board - from, move - from].map((ms) => ms / 1000);
}

/** Nodes a second of `count` workers at once, each of which runs the bench. */
async function nodesPerSecond(browser, url, count) {
  const page = await browser.newPage();
  await page.goto(url);
  const found = await page.evaluate((count) => {
    const one = () => new Promise((resolve, reject) => {
      const worker = new Worker("/engine/worker.mjs", { type: "module" });
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => {
        const last = typeof data === "string" && /^signature (\d+), (\d+) nodes\/s/.exec(data);
        if (last) resolve([last[1], Number(last[2])]);
        else if (data.failed) reject(new Error(data.failed));
      };
      worker.postMessage("bench");
    });
    return Promise.all(Array.from({ length: count }, one));
  }, count);
  await page.close();
  return { signature: found[0][0], speed: found.reduce((sum, [, speed]) => sum + speed, 0) };
}

const grouped = (number) => number.toLocaleString("en");
const browser = await launch();
const site = await serve();
try {
  for (const connection of CONNECTIONS) {
    const of = async (human) => {
      const runs = [];
      for (let i = 0; i < TRIES; i++) runs.push(await firstMove(browser, site.url, connection, human));
      return [0, 1].map((at) => median(runs.map((run) => run[at])).toFixed(2));
    };
    const [board, move] = await of("O");
    const [, answer] = await of("X");
    console.log(`${connection[0].padEnd(20)} board ${board} s, first move ${move} s, answer to a first move ${answer} s`);
  }
  const probe = await browser.newPage();
  const cores = await probe.evaluate(() => navigator.hardwareConcurrency);
  await probe.close();
  const one = await nodesPerSecond(browser, site.url, 1);
  console.log(`one worker           ${grouped(one.speed)} nodes/s, signature ${one.signature}`);
  const all = await nodesPerSecond(browser, site.url, cores);
  console.log(`${String(cores).padEnd(2)} workers           ${grouped(all.speed)} nodes/s`);
  if (native) {
    const printed = execFileSync(native, ["bench"], { encoding: "utf8" }).trim().split("\n").at(-1);
    const [, signature, speed] = /^signature (\d+), (\d+) nodes\/s$/.exec(printed);
    console.log(`native, one thread   ${grouped(Number(speed))} nodes/s, signature ${signature}`);
    console.log(`one worker has ${(100 * one.speed / speed).toFixed(0)}% of that, all have ${(100 * all.speed / speed).toFixed(0)}%`);
  }
} finally {
  await browser.close();
  site.close();
}
