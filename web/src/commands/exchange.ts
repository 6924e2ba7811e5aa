// Games and positions that come in, by paste, drop, file or link, and go out.

import { Checker } from "../checker";
import { askSide, chooseGame } from "../dialogs";
import { h } from "../elements";
import { reader } from "../engines";
import type { FoundGame } from "../engine";
import { Game, gameOf, linkOf, readLink } from "../game";
import { keepInList, newId } from "../kept";
import { START, positionOf } from "../rules";
import { type Unread, fault, later, locale, say, settings, show, state } from "../state";
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
  if (linked) {
    begin(linked.game, false);
    if (linked.wrong) notRead({ text, words: texts.openedUpTo(linked.wrong) });
    return;
  }
  try {
    await openGames(bytes);
  } catch (error) {
    fault(error);
  }
}

/** Bytes of a link at most. */
const MOST_LINK = 1 << 16;

/** Shows the text where texts are read, with the place that was not understood. */
function notRead(unread: Unread): void {
  state.unread = unread;
  state.tab = "games";
  later();
}

/** What the reader says, in the language of the page: the place and what stands there. The rest is the reader's, in English. */
function unreadOf(text: string, errors: string[]): Unread {
  const { texts, language } = locale;
  const found = /line (\d+)(?:, column (\d+))?/.exec(errors[0] ?? "");
  const place = found ? { line: Number(found[1]), column: Number(found[2] ?? 1) } : undefined;
  const at = place && (text.split(/\r\n|\r|\n/)[place.line - 1] ?? "").slice(place.column - 1, place.column + 11).trim();
  const reason = language === "en" ? errors.slice(0, MOST_ERRORS).join(" ") : "";
  return { text, place, words: [place ? texts.notReadAt(place.line, place.column, at ?? "") : texts.nothingRead, reason].filter(Boolean).join(" ") };
}

/** Two moves and more at the start of a line of moves, of which the reader refuses one: the game up to there. */
function upToTheFault(text: string): { game: Game; wrong: string } | undefined {
  if (!/^[\sa-h1-8.,-]*([a-h][1-8][\s\d.,-]*){2,}/i.test(text)) return undefined;
  const game = new Game(START);
  for (const [word] of text.matchAll(/[a-z]\d/gi)) {
    const legal = readLink(`g=${game.transcript()}${word.toLowerCase()}`);
    if (!legal || legal.wrong) return game.current.ply > 1 ? { game, wrong: `${game.current.ply + 1}. ${word}` } : undefined;
    game.play(legal.game.line().at(-1)!.move!);
  }
  return undefined;
}

async function openGames(bytes: Uint8Array, isAsked = false): Promise<void> {
  const { texts } = locale;
  const found = await reader.games(bytes);
  if (!found) return;
  const [first] = found.games;
  const text = () => new TextDecoder().decode(bytes.subarray(0, MOST_SHOWN));
  if (!first && found.lacksSide && !isAsked) {
    const side = await askSide(texts);
    const said = new TextEncoder().encode(`\n${side} to move\n`);
    if (side) await openGames(Uint8Array.from([...bytes, ...said]), true);
    return;
  }
  const cut = first ? undefined : upToTheFault(text());
  if (cut) {
    begin(cut.game, false);
    return notRead({ ...unreadOf(text(), found.errors), words: texts.openedUpTo(cut.wrong) });
  }
  if (!first) return notRead(unreadOf(text(), found.errors));
  const chosen = found.games.length > 1 ? await chooseGame(texts, found.games) : first;
  if (chosen === "all") return keepAll(found.games);
  const game = chosen && foundGame(chosen);
  if (!game) return;
  begin(game, false);
  say(texts.opened(found.kind ?? ""));
  if (found.errors.length) notRead(unreadOf(text(), found.errors));
}

/** Of a text that is not understood, so many bytes are shown. */
const MOST_SHOWN = 1 << 16;

function foundGame({ start, moves, black, white }: FoundGame): Game | undefined {
  const from = positionOf(start);
  if (!from) return undefined;
  const { game } = gameOf(from, moves);
  game.names = { black, white };
  return game;
}

/** Takes all games of a file into the list. */
async function keepAll(found: FoundGame[]): Promise<void> {
  const by = { human: settings.human, level: settings.level, seconds: 0, minutes: 0, rating: 0 };
  const now = Date.now();
  let kept = 0;
  try {
    for (const one of found) {
      const game = foundGame(one);
      if (!game) continue;
      const notes = [one.event, one.date, one.result].filter(Boolean).join(" · ");
      await keepInList({ id: newId(), link: linkOf(game), changed: now - kept, by, plays: false, live: "", notes, moves: game.line().length - 1 });
      kept += 1;
    }
  } catch {
    return show(locale.texts.notKept);
  }
  state.tab = "games";
  show(locale.texts.keptAll(kept));
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
  if (linked) begin(linked.game, false, true);
  if (linked?.wrong) show(locale.texts.openedUpTo(linked.wrong));
  return linked !== undefined;
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
