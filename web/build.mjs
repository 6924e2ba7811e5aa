// Builds the page: `dist/` is the site, `dist/emilia.html` the one file with everything inside.
//
//   npm ci && npm run build [-- --page]
//
// Needs cargo and rustup's target wasm32-unknown-unknown.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const wasm = `${here}../target/wasm`;
const release = `${wasm}/wasm32-unknown-unknown/release`;
const dist = `${here}dist`;
const optimized = (name) => `${release}/${name}.optimized.wasm`;

/** Says what takes time. */
const step = (what) => console.error(`build: ${what}`);

function cargo(command, crate, environment, rest) {
  const options = [command, "--release", "--locked", "--quiet", "--manifest-path", `${here}${crate}/Cargo.toml`, "--target-dir", wasm, ...rest];
  const env = { ...process.env, ...environment };
  delete env.CARGO_ENCODED_RUSTFLAGS;
  execFileSync("cargo", options, { stdio: "inherit", env });
}

function compile(crate, flags) {
  // Without the paths of this computer: the same sources give the same bytes.
  const home = process.env.CARGO_HOME ?? `${process.env.HOME}/.cargo`;
  const rustc = (...words) => execFileSync("rustc", words, { encoding: "utf8" });
  const library = `${rustc("--print", "sysroot").trim()}/lib/rustlib/src/rust=/rustc/${/commit-hash: (.*)/.exec(rustc("-vV"))[1]}`;
  const remaps = [`${resolve(here, "..")}=emilia`, `${home}=cargo`, library].map((one) => `--remap-path-prefix=${one}`).join(" ");
  const wrapper = process.platform === "win32" ? {} : { RUSTC_WRAPPER: `${here}tools/rustc.sh` };
  step(`compiling the ${crate}: up to some minutes`);
  cargo("build", crate, { RUSTFLAGS: `${flags} ${remaps}`, ...wrapper }, ["--target", "wasm32-unknown-unknown"]);
}

/** What rustc's modules use; wasm-opt may use no more. */
const FEATURES = ["simd", "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "multivalue", "reference-types"];

/** Makes a module smaller, as fast as it was. */
function optimize(name) {
  const optimizer = `${here}node_modules/binaryen/bin/wasm-opt`;
  const options = [...FEATURES.map((feature) => `--enable-${feature}`), "-Os", `${release}/${name}.wasm`, "-o", optimized(name)];
  step(`optimizing ${name}.wasm`);
  execFileSync(process.execPath, [optimizer, ...options], { stdio: "inherit" });
}

/** A sealed file of the program, packed smaller: once for each of its versions, since that takes a minute. */
function packed(file) {
  const packer = ["pack/src/main.rs", "pack/Cargo.lock"].map((name) => `${here}${name}`);
  const key = createHash("sha256");
  for (const name of [`${here}../${file}`, ...packer]) key.update(readFileSync(name));
  const kept = `${wasm}/packed-${key.digest("hex").slice(0, 16)}.bin`;
  if (!existsSync(kept)) {
    step(`packing ${file}: a minute, once`);
    cargo("run", "pack", { RUSTFLAGS: "" }, ["--", `${here}../${file}`, `${kept}.new`]);
    renameSync(`${kept}.new`, kept);
  }
  return readFileSync(kept);
}

const bundle = (entry, options = {}) =>
  buildSync({ entryPoints: [`${here}${entry}`], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8", ...options }).outputFiles[0].text;

/** The page's script in modules: what is needed at once, and what is loaded when it is asked for. */
function modules(entry, options) {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [`${here}${entry}`], bundle: true, minify: true, write: false, metafile: true, splitting: true, format: "esm", target: "es2022", charset: "utf8",
    outdir: dist, entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", absWorkingDir: here, ...options,
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: Buffer.from(contents) }));
  const of = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const main = [...of].find(([, { entryPoint }]) => entryPoint === entry)[0];
  const needed = [main];
  for (const name of needed) {
    for (const { path, kind } of of.get(name).imports) if (kind === "import-statement" && !needed.includes(basename(path))) needed.push(basename(path));
  }
  return { files, main, needed };
}

/** The weight file in parts: its head with the first block, then a block each (src/container.rs has the layout). */
function parts(weights) {
  const ends = [];
  let at = 16 + weights.readUInt32LE(12) + 8;
  while (at < weights.length) {
    at += 4 + weights.readUInt32LE(at) + 8;
    ends.push(at);
  }
  if (ends.length !== 3 || ends[2] !== weights.length) throw new Error(`the weights have ${ends.length} blocks`);
  return ends.map((end, i) => weights.subarray(i ? ends[i - 1] : 0, end));
}

/** A picture of two half discs on a board's square. */
function icon(side) {
  const row = Buffer.alloc(1 + 4 * side);
  const rows = [];
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const [dx, dy] = [(x + 0.5) / side - 0.5, (y + 0.5) / side - 0.5];
      const isDisc = dx * dx + dy * dy < 0.1296;
      row.set(isDisc ? (dx < 0 ? [22, 25, 28, 255] : [246, 245, 240, 255]) : [47, 125, 79, 255], 1 + 4 * x);
    }
    rows.push(Buffer.from(row));
  }
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const magic = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([magic, chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))]);
}

function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function page({ csp, head, body }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${csp}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Play, study and prove Othello in the browser.">
<meta name="theme-color" content="#1f6b45">
<title>Emilia</title>
${head}
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
${body}
</body>
</html>
`;
}

// With --page only the page is made anew, of modules that are there.
if (!process.argv.includes("--page")) {
  compile("engine", "-C target-feature=+simd128");
  compile("checker", "-C target-feature=+simd128");
  optimize("emilia_wasm");
  optimize("emilia_checker_wasm");
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const engine = readFileSync(optimized("emilia_wasm"));
const checker = readFileSync(optimized("emilia_checker_wasm"));
const weights = packed("crates/core/src/eval/weights.bin");
const people = packed("src/human/model.bin");
const puzzles = readFileSync(`${here}puzzles.bin`);
// The one file has a smaller book.
const [book, smallBook] = ["../src/book/builtin.book", "small.book"].map((name) => readFileSync(`${here}${name}`));
const workers = { WORKER_SOURCE: JSON.stringify(bundle("src/page-worker.ts")), CHECKER_SOURCE: JSON.stringify(bundle("src/checker-worker.ts")) };
const loader = { ".tsv": "text" };
const css = bundle("src/style.css").trim();

// The site: files named by their contents, so that a cache never mixes two versions.
const named = (stem, end, bytes) => {
  const name = `${stem}-${createHash("sha256").update(bytes).digest("hex").slice(0, 10)}.${end}`;
  writeFileSync(`${dist}/${name}`, bytes);
  return name;
};
const weightParts = parts(weights);
const files = { engine: named("engine", "wasm", engine), checker: named("checker", "wasm", checker), people: named("people", "bin", people), book: named("book", "bin", book), puzzles: named("puzzles", "bin", puzzles) };
weightParts.forEach((part, i) => (files[`part${i}`] = named(`weights-${i}`, "bin", part)));
const script = modules("src/app.ts", { loader, define: { ...workers, FILES: JSON.stringify(files) } });
for (const { name, bytes } of script.files) writeFileSync(`${dist}/${name}`, bytes);
const style = named("style", "css", css);
const base = "default-src 'none'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'";
const early = script.needed.slice(1).map((name) => `<link rel="modulepreload" href="${name}">`).join("\n");
writeFileSync(`${dist}/index.html`, page({
  csp: `${base}; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; connect-src 'self' blob:; manifest-src 'self'`,
  head: `<link rel="stylesheet" href="${style}">\n<link rel="manifest" href="manifest.webmanifest">\n<link rel="icon" href="icon-192.png">\n<link rel="apple-touch-icon" href="icon-192.png">\n<script type="module" src="${script.main}"></script>\n${early}`,
  body: "",
}));
for (const side of [192, 512]) writeFileSync(`${dist}/icon-${side}.png`, icon(side));
const icons = [192, 512].map((side) => ({ src: `icon-${side}.png`, sizes: `${side}x${side}`, type: "image/png", purpose: "any maskable" }));
writeFileSync(`${dist}/manifest.webmanifest`, JSON.stringify({ name: "Emilia", short_name: "Emilia", description: "Othello: play, study, prove", start_url: "./", display: "standalone", background_color: "#f6f6f3", theme_color: "#1f6b45", icons }));
const cached = ["./", ...script.files.map(({ name }) => name), style, "manifest.webmanifest", "icon-192.png", "icon-512.png", ...Object.values(files)];
const version = createHash("sha256").update(cached.join() + readFileSync(`${dist}/index.html`)).digest("hex").slice(0, 12);
writeFileSync(`${dist}/sw.js`, bundle("src/service-worker.ts", { define: { CACHED: JSON.stringify(cached), VERSION: JSON.stringify(version) } }));

// The one file. What is not text is base64, the modules packed.
const data = (id, bytes, packed) => `<script type="application/octet-stream" id="${id}"${packed ? " data-packed" : ""}>${bytes.toString("base64")}</script>`;
const zipped = (bytes) => gzipSync(bytes, { level: 9 });
const own = bundle("src/app.ts", { loader, define: { ...workers, FILES: "{}" } }).replaceAll("</script", "<\\/script");
writeFileSync(`${dist}/emilia.html`, page({
  csp: `${base}; script-src ${hash(own)} blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src blob:; style-src ${hash(css)}`,
  head: `<style>${css}</style>`,
  body: [data("engine", zipped(engine), true), data("checker", zipped(checker), true), data("people", people), data("book", zipped(smallBook), true), data("puzzles", zipped(puzzles), true), ...weightParts.map((part, i) => data(`part${i}`, part)), `<script>${own}</script>`].join("\n"),
}));

// The package: a worker, its promises, the module, the weights, the model of people.
const out = `${dist}/engine`;
mkdirSync(out);
for (const name of ["worker.mjs", "host.mjs", "talk.mjs", "index.mjs", "index.d.mts", "package.json", "README.md"]) copyFileSync(`${here}engine/${name}`, `${out}/${name}`);
writeFileSync(`${out}/emilia.wasm`, engine);
writeFileSync(`${out}/weights.bin`, weights);
writeFileSync(`${out}/people.bin`, people);

const size = (name, bytes) => console.log(`${name.padEnd(22)} ${String(bytes.length).padStart(9)} bytes ${String(zipped(bytes).length).padStart(9)} gzip`);
size("engine", engine);
size("checker", checker);
for (const { name, bytes } of script.files) size(name.replace(/-\w+\.js$/, ".js") + (script.needed.includes(name) ? " *" : ""), bytes);
size("style.css", Buffer.from(css));
size("weights", weights);
size("people", people);
size("book", book);
size("puzzles", puzzles);
console.log(`emilia.html ${statSync(`${dist}/emilia.html`).size} bytes`);
const whole = cached.filter((name) => name !== "./").reduce((sum, name) => sum + statSync(`${dist}/${name}`).size, 0);
console.log(`site ${whole} bytes`);
