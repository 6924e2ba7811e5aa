// Where the modules and the weights come from: files beside the page, or data inside of the one file.

/** Parts of the weight file, one for each stage of the game, and the fewest empties for which so many parts suffice. */
export const FEWEST_EMPTIES = [61, 36, 20, 0];

/** What is not there is loaded when it is asked for. If that fails, the next one who asks loads it anew. */
export interface Resources {
  engine(): Promise<WebAssembly.Module>;
  /** In their order; a part comes after those before it. */
  parts: (() => Promise<Uint8Array>)[];
  /** The model of people, by which levels play. */
  people(): Promise<Uint8Array>;
  /** The opening book. */
  book(): Promise<Uint8Array>;
  checker(): Promise<WebAssembly.Module>;
  /** What `emilia puzzles make` has made. */
  puzzles(): Promise<Uint8Array>;
}

/** A file has not come; the message names it. */
export class LoadError extends Error {}

/** The browser lacks what the message names. */
export class MissingError extends Error {}

declare const FILES: Record<"engine" | "checker" | "people" | "book" | "puzzles" | "part0" | "part1" | "part2", string>;

async function unpacked(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id)!;
  const text = element.textContent!.trim();
  const binary = atob(text);
  const bytes = Uint8Array.from({ length: binary.length }, (_, i) => binary.charCodeAt(i));
  const isPacked = element.dataset["packed"] !== undefined;
  const stream = () => new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const file = isPacked ? new Uint8Array(await new Response(stream()).arrayBuffer()) : bytes;
  // It is not needed twice.
  element.remove();
  return file;
}

/** Fetches a file, and makes something of it while it comes. */
async function fetched<T>(name: string, take: (response: Response) => Promise<T>): Promise<T> {
  try {
    const response = await fetch(name);
    const type = response.headers.get("content-type") ?? "";
    // A network that wants a password first gives a page instead.
    if (!response.ok || type.startsWith("text/html")) throw new Error(`${response.status} ${type}`.trim());
    return await take(response);
  } catch (error) {
    throw new LoadError(`${name}: ${(error as Error).message}`);
  }
}

const compiled = async (bytes: Promise<Uint8Array>) => WebAssembly.compile((await bytes) as BufferSource);

/** The module that `load` gives, if the browser can run one. */
async function module(load: () => Promise<WebAssembly.Module>): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined") throw new MissingError("WebAssembly");
  return load();
}

/** What `make` gives, made once; made anew if that has failed. */
const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
};

/** One resource after the other: each waits for that before it. */
const after = <T>(before: () => Promise<unknown>, make: () => Promise<T>) => once(() => before().then(make));

function ofOneFile(): Resources {
  const engine = once(() => module(() => compiled(unpacked("engine"))));
  // The page is alive between them.
  const breath = () => new Promise((resolve) => setTimeout(resolve));
  const part = (before: () => Promise<unknown>, id: string) => after(() => before().then(breath), () => unpacked(id));
  const part0 = part(engine, "part0");
  const part1 = part(part0, "part1");
  const part2 = part(part1, "part2");
  return { engine, parts: [part0, part1, part2], people: once(() => unpacked("people")), book: once(() => unpacked("book")), puzzles: once(() => unpacked("puzzles")), checker: once(() => module(() => compiled(unpacked("checker")))) };
}

function ofSite(): Resources {
  const bytes = (name: string) => fetched(name, async (response) => new Uint8Array(await response.arrayBuffer()));
  const fetchedModule = (name: string) => module(() => fetched(name, async (response) => {
    // Compiled while it comes, if the host names its type.
    const isTyped = response.headers.get("content-type") === "application/wasm";
    return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
  }));
  // In the order in which a game needs them: the first two at once, the next one only when the line is free.
  const part0 = once(() => bytes(FILES.part0));
  const engine = once(() => {
    // Whether it comes is noticed by those who ask for it.
    part0().catch(() => {});
    return fetchedModule(FILES.engine);
  });
  const part1 = after(part0, () => bytes(FILES.part1));
  const part2 = after(part1, () => bytes(FILES.part2));
  return { engine, parts: [part0, part1, part2], people: once(() => bytes(FILES.people)), book: once(() => bytes(FILES.book)), puzzles: once(() => bytes(FILES.puzzles)), checker: once(() => fetchedModule(FILES.checker)) };
}

export const resources = (): Resources => (document.getElementById("part0") ? ofOneFile() : ofSite());
