// The scores of Lighthouse for the site in dist/, on a port of this computer.
//
//   npm run lighthouse        Ends with 1 unless accessibility and best practices have 100.

import { execFile } from "node:child_process";
import { executablePath, serve } from "../tests/support.mjs";

const LEAST = { accessibility: 100, "best-practices": 100 };

const site = await serve();
const flags = ["--yes", "lighthouse@12", site.url, "--quiet", "--output=json", "--only-categories=performance,accessibility,best-practices", "--chrome-flags=--headless --no-sandbox"];
execFile("npx", flags, { env: { ...process.env, CHROME_PATH: executablePath }, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
  site.close();
  if (!stdout) throw error ?? new Error(stderr);
  const { categories, audits } = JSON.parse(stdout);
  for (const { id, title, score, auditRefs } of Object.values(categories)) {
    console.log(`${title}: ${Math.round(100 * score)}`);
    const wrong = auditRefs.filter((ref) => audits[ref.id].score !== null && audits[ref.id].score < 1 && ref.weight > 0);
    for (const ref of wrong) console.log(`  ${audits[ref.id].title}: ${audits[ref.id].displayValue ?? audits[ref.id].score}`);
    if (100 * score < (LEAST[id] ?? 0)) process.exitCode = 1;
  }
});
