// Games and positions that come in, by paste, drop, file or link, and go out.

import { Checker } from "../checker";
import { askSide, chooseGame } from "../dialogs";
import { h } from "../elements";
import { reader } from "../engines";
import { gameOf, linkOf, readLink } from "../game";
import { positionOf } from "../rules";
import { fault, locale, say, show, state } from "../state";
import { begin } from "./play";
import { checkProof } from "./proof";

/** Larger files hold more than a page can show. */
const MOST_BYTES = 64 << 20;

/** Errors of one text that are shown. */
const MOST_ERRORS = 3;

export async function open(bytes: Uint8Array): Promise<void> {
  const { texts } = locale;
  show(undefined);
  if (bytes.length > MOST_BYTES) return show(texts.tooLarge);
  if (Checker.isProof(bytes)) return checkProof(bytes);
  const text = new TextDecoder().decode(bytes.subarray(0, MOST_LINK)).trim();
  const link = /^\S+#(\S+)$/.exec(text);
  const linked = link && readLink(link[1]!);
  if (linked) return begin(linked, false);
  try {
    await openGames(bytes);
  } catch (error) {
    fault(error);
  }
}

/** Bytes of a link at most. */
const MOST_LINK = 1 << 16;

async function openGames(bytes: Uint8Array, isAsked = false): Promise<void> {
  const { texts } = locale;
  const found = await reader.games(bytes);
  if (!found) return;
  const errors = found.errors.slice(0, MOST_ERRORS).join(" ");
  const [first] = found.games;
  if (!first && found.lacksSide && !isAsked) {
    const side = await askSide(texts);
    const said = new TextEncoder().encode(`\n${side} to move\n`);
    if (side) await openGames(Uint8Array.from([...bytes, ...said]), true);
    return;
  }
  if (!first) return show(`${texts.nothingRead} ${errors}`);
  const chosen = found.games.length > 1 ? await chooseGame(texts, found.games) : first;
  const start = chosen && positionOf(chosen.start);
  if (!start) return;
  const { game } = gameOf(start, chosen.moves);
  game.names = { black: chosen.black, white: chosen.white };
  begin(game, false);
  say(texts.opened(found.kind ?? ""));
  if (errors) show(errors);
}

export const openText = (text: string): Promise<void> => open(new TextEncoder().encode(text));

export async function openFile(file: File): Promise<void> {
  if (file.size > MOST_BYTES) return show(locale.texts.tooLarge);
  await open(new Uint8Array(await file.arrayBuffer()));
}

/** Opens the link of the address; `false` if there is a link that holds no game. */
export function openAddress(): boolean {
  if (location.hash.length < 2) return true;
  const linked = readLink(location.hash);
  if (linked) begin(linked, false);
  return linked !== undefined;
}

/** Opens what is pasted or dropped anywhere but in a field or a dialog. */
export function takeAnything(): void {
  const take = (data: DataTransfer | null) => {
    const file = data?.files[0];
    const text = data?.getData("text/plain");
    if (file) void openFile(file);
    else if (text) void openText(text);
  };
  addEventListener("paste", (event) => {
    const target = event.target as Element | null;
    if (!target?.closest("textarea, input, dialog")) take(event.clipboardData);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer);
  });
  addEventListener("hashchange", () => {
    if (!openAddress()) show(locale.texts.badLink);
  });
}

/** The link that holds the game. */
export function address(): string {
  return `${location.href.replace(/#.*/, "")}#${linkOf(state.game)}`;
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from a disk has no clipboard.
    const area = h("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(locale.texts.copied);
}
