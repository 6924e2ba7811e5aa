// Memory of the page after puzzles, games and analyses: it should be flat.
//
//   npm run memory          Megabytes of scripts, nodes and listeners of the page, and megabytes of its process, workers included.

import { readFileSync } from "node:fs";
import { launch, openPage, openPanel, serve } from "../tests/support.mjs";

const GAME = "f5d6c3d3c4f4c5b3c2e3d2c6";
const LEVEL_ONE = { human: "none", level: 1, seconds: 0, minutes: 0, rating: 0 };

const browser = await launch();
const site = await serve();
const page = await openPage(browser, site.url, { cores: 2, prepare: (page) => page.addInitScript((settings) => localStorage.setItem("emilia.settings", JSON.stringify(settings)), LEVEL_ONE) });
const control = await page.context().newCDPSession(page);
const system = await browser.newBrowserCDPSession();
await control.send("Performance.enable");

async function tell(what) {
  await control.send("HeapProfiler.collectGarbage");
  const { metrics } = await control.send("Performance.getMetrics");
  const of = (name) => metrics.find((one) => one.name === name).value;
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024);
  console.log(`${what}: ${(of("JSHeapUsedSize") / 1e6).toFixed(1)} MB, ${of("Nodes")} nodes, ${of("JSEventListeners")} listeners; process ${Math.round(Math.max(...sizes))} MB`);
}

for (let i = 0; i <= 20; i++) {
  // The first one begins by itself.
  if (i) await page.locator("header").getByRole("button", { name: "New game" }).click();
  if (i) await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.waitForFunction(() => /wins|draw/i.test(document.querySelector(".status").textContent) && document.querySelectorAll(".moves .move").length > 8, null, { timeout: 120_000 });
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  if (i % 10 === 0) await tell(`${i} games`);
}
const next = () => page.getByRole("button", { name: "Next", exact: true });
await openPanel(page, "Train");
for (let i = 0; i <= 50; i++) {
  await page.getByRole("button", { name: "Show the answer" }).click();
  await next().click();
  if (i % 25 === 0) await tell(`${i} puzzles`);
}
for (let i = 0; i <= 10; i++) {
  await page.evaluate((hash) => (location.hash = hash), `#g=${GAME}&b=${i}`);
  await page.waitForFunction((count) => document.querySelectorAll(".moves .move").length === count, GAME.length / 2);
  await openPanel(page, "Study");
  await page.getByRole("combobox", { name: "Effort of the analysis" }).selectOption("quick");
  await page.getByRole("button", { name: "Analyse the game" }).click();
  await page.locator(".table tbody tr").first().waitFor({ timeout: 200_000 });
  if (i % 5 === 0) await tell(`${i} analyses`);
}
site.close();
await browser.close();
