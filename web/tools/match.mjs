// The page's engine against the native program, at equal time: a match of `emilia match`, which prints its result.
//
//   npm run match -- NATIVE OPENINGS [GAMES] [SECONDS A MOVE] [ARGUMENT OF MATCH ..]
//
// Each side has one thread. OPENINGS: transcripts, one a line; each is played with both colours. A move may be 1 s late: the first
// one unpacks weights.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [native, openings, games = "50", seconds = "1", ...others] = process.argv.slice(2);
if (!native || !openings) {
  console.error("npm run match -- NATIVE OPENINGS [GAMES] [SECONDS A MOVE] [ARGUMENT OF MATCH ..]");
  process.exit(2);
}
const talk = fileURLToPath(new URL("../dist/engine/talk.mjs", import.meta.url));
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const { status, error } = spawnSync(native, [
  "match", "--engine", `page|ugi|${quoted(process.execPath)} ${quoted(talk)}|margin=1000`, "--engine", `native|ugi|${quoted(native)} ugi|option.Threads=1 margin=1000`,
  "--openings", openings, "--games", games, "--each", `st=${seconds}`, ...others,
], { stdio: "inherit" });
if (error) console.error(String(error.message));
process.exit(status ?? 1);
