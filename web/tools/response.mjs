// How soon the page answers a click while the engine thinks, on one core and four times slowed, and its longest task.
//
//   npm run response        Medians and worst of the clicks; the machine should do nothing else.

import { launch, oneFile, openPage, openPanel, serve } from "../tests/support.mjs";

const SLOWER = 4;
const CLICKS = 12;
const GAME = "f5f6e6f4g5e7d7d6d8g6g4f7e3f8h7e2c7h5h6h8c5g7g8e8c3c8b8a8f3h4e1c6b7a7h3b6b5c4b2g2";

/** What is done while a search runs, and what is clicked then. */
const WAYS = {
  "values of all moves": async (page) => {
    await openPanel(page, "Study");
    await page.getByRole("button", { name: "Values of all moves" }).click();
  },
  "the analysis": async (page) => {
    await openPanel(page, "Study");
    await page.getByRole("combobox", { name: "Effort of the analysis" }).selectOption("quick");
    await page.getByRole("button", { name: "Analyse the game" }).click();
  },
  "a solve": async (page) => {
    await openPanel(page, "Study");
    await page.getByRole("button", { name: "Solve exactly" }).click();
  },
};

/** Milliseconds from a click, by the browser's time of it, to the frame that shows its effect. */
async function answered(page, selector) {
  await page.evaluate((selector) => {
    globalThis.answered = new Promise((resolve) => {
      document.querySelector(selector).addEventListener("click", ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp))), { once: true });
    });
  }, selector);
  await page.locator(selector).click();
  return page.evaluate(() => globalThis.answered);
}

const browser = await launch();
const site = await serve();
for (const [address, name] of [[site.url, "site"], [oneFile, "one file"]]) {
  for (const [way, start] of Object.entries(WAYS)) {
    const page = await openPage(browser, `${address}#g=${GAME}&at=${GAME.slice(0, 60)}`, { cores: 1 });
    await page.evaluate(() => {
      globalThis.tasks = [];
      new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    });
    const session = await page.context().newCDPSession(page);
    await page.waitForTimeout(3000);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await start(page);
    await page.waitForTimeout(2000);
    await page.evaluate(() => (globalThis.tasks.length = 0));
    const took = [];
    for (let i = 0; i < CLICKS; i++) {
      took.push(await answered(page, `.steps button:nth-child(${i % 2 ? 3 : 2})`));
      await page.waitForTimeout(400);
    }
    took.sort((a, b) => a - b);
    const tasks = await page.evaluate(() => globalThis.tasks);
    console.log(`${name}, ${way}: click median ${Math.round(took[CLICKS / 2])} ms, worst ${Math.round(took.at(-1))} ms; longest task ${Math.round(Math.max(0, ...tasks))} ms of ${tasks.length} over 50 ms`);
    await page.context().close();
  }
}
site.close();
await browser.close();
