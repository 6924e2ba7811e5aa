#!/usr/bin/env node
// rustc for build.mjs (cargo's RUSTC_WRAPPER): cargo tells the packages of this repository apart by their folders, of which
// the names of symbols, and so the bytes of a module, depend. Here they are told apart by their names.

import { spawnSync } from "node:child_process";

const [rustc, ...options] = process.argv.slice(2);
const name = options[options.indexOf("--crate-name") + 1] ?? "";
const nameless = (option) => (name.startsWith("emilia") && option.startsWith("metadata=") ? `metadata=${name}` : option);
process.exit(spawnSync(rustc, options.map(nameless), { stdio: "inherit" }).status ?? 1);
