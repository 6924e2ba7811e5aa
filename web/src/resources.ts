// Where the modules and the weights come from: files beside the page, or data inside of the one file.

/** Parts of the weight file, one for each stage of the game, and the fewest empties for which so many parts suffice. */
export const FEWEST_EMPTIES = [61, 36, 20, 0];

export interface Resources {
  engine: Promise<WebAssembly.Module>;
  parts: Promise<Uint8Array>[];
  /** The model of people, by which levels play. */
  people(): Promise<Uint8Array>;
  checker(): Promise<WebAssembly.Module>;
}

declare const FILES: Record<"engine" | "checker" | "people" | "part0" | "part1" | "part2", string>;

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

async function fetched(name: string): Promise<Response> {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

const compiled = async (bytes: Promise<Uint8Array>) => WebAssembly.compile((await bytes) as BufferSource);
/** What `make` gives, made once; made anew if that has failed. */
const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined;
  const forget = (error: unknown): never => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
};

function ofOneFile(): Resources {
  const later = () => new Promise((resolve) => setTimeout(resolve));
  const engine = compiled(unpacked("engine"));
  // One after the other, with the page alive between them.
  const part0 = engine.then(later).then(() => unpacked("part0"));
  const part1 = part0.then(later).then(() => unpacked("part1"));
  const part2 = part1.then(later).then(() => unpacked("part2"));
  return { engine, parts: [part0, part1, part2], people: once(() => unpacked("people")), checker: once(() => compiled(unpacked("checker"))) };
}

function ofSite(): Resources {
  const bytes = async (name: string) => new Uint8Array(await (await fetched(name)).arrayBuffer());
  const module = async (name: string) => {
    const response = await fetched(name);
    // Compiled while it comes, if the host names its type.
    const isTyped = response.headers.get("content-type") === "application/wasm";
    return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
  };
  // In the order in which a game needs them: the next one only when the line is free.
  const engine = module(FILES.engine);
  const part0 = bytes(FILES.part0);
  const part1 = part0.then(() => bytes(FILES.part1));
  const part2 = part1.then(() => bytes(FILES.part2));
  return { engine, parts: [part0, part1, part2], people: once(() => bytes(FILES.people)), checker: once(() => module(FILES.checker)) };
}

export const resources = (): Resources => (document.getElementById("part0") ? ofOneFile() : ofSite());
