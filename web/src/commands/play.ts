// Playing, taking back, moving about in the game, beginning another one.

import { startClocks, tick, timeLeft } from "../clock";
import { scoreText } from "../elements";
import { judge, player, solver, study } from "../engines";
import type { Info } from "../engine";
import { Game, type Node } from "../game";
import { newId } from "../kept";
import { askProof, isProofsTurn, proofMove } from "../proof";
import { type Square, areMovesAlike, count, finalScore, legalMoves, nameOf, opponent, squareOf } from "../rules";
import { bestOf, fault, isEnd, isHuman, isLookingBack, isPassing, locale, position, redraw, retry, say, scores, settings, show, sideName, state } from "../state";
import { remember } from "../storage";
import { keepNow, keepSoon, takeHold } from "./keep";

/** How the game ended. */
export function resultText(): string {
  const { texts } = locale;
  const { ended } = state;
  if (ended && state.game.current === state.live) return texts[ended.by === "time" ? "onTime" : "resigned"](sideName(opponent(ended.side)));
  const score = finalScore(position());
  if (!score) return texts.draw;
  const { empty } = count(position());
  const winner = 32 + Math.abs(score) / 2;
  const side = sideName(score > 0 ? "X" : "O");
  return [texts.wins(side, winner, 64 - winner), empty && texts.emptiesToWinner(empty)].filter(Boolean).join(". ");
}

/** Shows another position of the game; the game that is played stays where it is, and waits. */
export function go(node: Node | undefined): void {
  if (!node || node === state.game.current) return;
  leave();
  state.game.current = node;
  changed();
  void answer();
}

/** Ends what belongs to the position that is left. */
function leave(): void {
  tick();
  player.stop();
  state.isThinking = false;
  state.hint = undefined;
  solver.stop();
}

/** Another position is shown: what depends on it starts anew. */
function changed(): void {
  if (state.showsValues && !isEnd()) {
    retry();
    study.start(position());
  } else {
    study.stop();
  }
  if (!state.showsValues) study.values.clear();
  keepSoon();
  askProof();
  redraw();
}

// What else happens with a move or an end: sounds, and the dialog at the end.
type Listener = (what: "move" | "pass" | "end") => void;
let tell: Listener = () => {};
export function listen(to: Listener): void {
  tell = to;
}

/** What a person chooses on the board. */
export function choose(square: Square): void {
  if (state.waits) return pass();
  if (isEnd() || state.isThinking) return;
  if (isLookingBack()) {
    if (state.clocks) return show(locale.texts.backFirst);
    state.live = state.game.current;
  }
  if ((!isHuman(position().side) && state.isPlaying) || isProofsTurn()) return;
  playMove(square);
}

/** The person has seen that there is no move. */
export function pass(): void {
  tick();
  state.waits = undefined;
  go(state.live);
  redraw();
  void answer();
}

/** A move of whoever it is: says it, runs the clocks, lets the engine answer. */
function playMove(square: Square): boolean {
  const { game } = state;
  const mover = position().side;
  leave();
  if (!game.play(square)) return false;
  if (settings.human !== "both" && !game.current.children.length) state.isPlaying = true;
  if (state.isPlaying) state.live = game.current;
  const { texts } = locale;
  const words = [texts.moved(sideName(mover), nameOf(square))];
  if (isPassing()) {
    state.waits = game.current;
    words.push(texts.youPass);
  } else if (isEnd()) words.push(resultText());
  else if (game.current.passes) words.push(texts.passes(sideName(opponent(mover))));
  if (state.showsValues) words.push(...valueWords());
  say(words.join(". "));
  changed();
  keepNow();
  tell(isEnd() ? "end" : game.current.passes ? "pass" : "move");
  void answer();
  return true;
}

/** For the ear: what the position was worth, when the values were shown. */
function valueWords(): string[] {
  const best = bestOf(study.values.values());
  return best ? [`${locale.texts.bestLine}: ${best.pv[0]} ${scoreText(best.score)}`] : [];
}

export function takeBack(): void {
  let node = state.game.current.parent;
  // In a game, to the own move before.
  const isEngines = (one: Node) => settings.human !== "none" && !isHuman(one.position.side);
  while (state.isPlaying && node?.parent && isEngines(node)) node = node.parent;
  if (!node) return;
  leave();
  state.ended = undefined;
  state.waits = undefined;
  state.game.current = node;
  if (state.isPlaying) state.live = node;
  changed();
  say(locale.texts.toMove(sideName(node.position.side)));
}

/** The game goes on from here. */
export function playOn(): void {
  state.isPlaying = true;
  state.live = state.game.current;
  changed();
  void answer();
}

/** Ends the game that is played. */
function end(by: "time" | "resigns", side: "X" | "O"): void {
  state.ended = { by, side };
  go(state.live);
  leave();
  say(resultText());
  changed();
  keepNow();
  tell("end");
}

export function resign(): void {
  const { side } = position();
  end("resigns", isHuman(side) ? side : opponent(side));
}

/** The time of a side is up. */
export const timeIsUp = (): void => end("time", state.ended!.side);

export function promote(): void {
  state.game.promote();
  changed();
}

/** The words of `go` for the engine's move. */
function goWords(): string {
  if (state.clocks) return `wtime ${Math.round(1000 * timeLeft("X"))} btime ${Math.round(1000 * timeLeft("O"))}`;
  return settings.seconds ? `movetime ${1000 * settings.seconds}` : "depth 60";
}

let isHurried = false;

/** The engine plays what it has found so far. */
export function moveNow(): void {
  if (!state.isThinking) return;
  isHurried = true;
  player.stop();
}

/** Plies that are searched when the engine is hurried before it has found anything. */
const HURRIED = "depth 6";

async function engineMove(): Promise<string | undefined> {
  let seen: string | undefined;
  isHurried = false;
  const strength = settings.seconds ? {} : { level: settings.level, rating: settings.rating };
  const report = ({ pv }: Info) => (seen = pv[0] ?? seen);
  const best = await player.search(position(), goWords(), { ...strength, report });
  if (best !== undefined || !isHurried) return best;
  isHurried = false;
  return seen ?? player.search(position(), HURRIED);
}

/** Lets the engine move, if it is its turn. */
export async function answer(): Promise<void> {
  if (state.proof?.plays && answerByProof()) return;
  if (!state.isPlaying || isLookingBack() || state.waits || isEnd() || isHuman(position().side)) return;
  const node = state.game.current;
  if (areMovesAlike(position())) {
    // Nothing is to be found out: the first move of a game does not wait for the engine to be loaded.
    const moves = legalMoves(position());
    const move = moves[Math.floor(Math.random() * moves.length)]!;
    setTimeout(() => node === state.game.current && state.isPlaying && playMove(move));
    return;
  }
  state.isThinking = true;
  retry();
  redraw();
  try {
    const best = await engineMove();
    if (best === undefined || state.game.current !== node) return;
    state.isThinking = false;
    const square = squareOf(best);
    if (square !== undefined) playMove(square);
  } catch (error) {
    state.isThinking = false;
    state.isPlaying = false;
    fault(error);
    redraw();
  }
}

/** Plays the proof's move if it is the claimant's turn. */
export function answerByProof(): boolean {
  const square = state.proof?.plays ? proofMove() : undefined;
  if (square === undefined || state.game.current.children.length > 0) return false;
  state.proof!.said = [];
  const node = state.game.current;
  setTimeout(() => node === state.game.current && playMove(square), 300);
  return true;
}

export async function giveHint(): Promise<void> {
  const node = state.game.current;
  let found: Info | undefined;
  retry();
  try {
    const best = await player.search(position(), "movetime 1000", { report: (info) => (found = info) });
    const square = best === undefined ? undefined : squareOf(best);
    if (square === undefined || state.game.current !== node) return;
    const score = found ? scoreText(found.score) : "";
    if (found) scores.set(node, { black: position().side === "X" ? found.score : -found.score, exact: found.exact });
    state.hint = { node, move: square, score };
    say(locale.texts.hintIs(best!, score));
    redraw();
  } catch (error) {
    fault(error);
  }
}

/** Begins with another game: one that is played, or one that is looked at. The one before is kept. */
export function begin(next: Game, plays: boolean, isLinked = false): void {
  leave();
  judge.stop();
  if (!isLinked) keepNow();
  showGame();
  state.id = newId();
  state.notes = "";
  state.report = undefined;
  state.solve = undefined;
  state.ended = undefined;
  state.waits = undefined;
  state.clocks = undefined;
  state.unread = undefined;
  state.game = next;
  state.isPlaying = plays;
  state.live = plays ? next.current : undefined;
  if (plays) startClocks();
  show(undefined);
  changed();
  // A link has an entry of its own in the tab's history.
  keepNow(!isLinked);
  void takeHold();
  void answer();
}

/** The trainer's board leaves the place to the game's. */
function showGame(): void {
  if (state.tab === "train") state.tab = "play";
}

/** Shows the game that `restore` has put in place. */
export function shown(): void {
  showGame();
  judge.stop();
  state.report = undefined;
  state.solve = undefined;
  state.isThinking = false;
  state.hint = undefined;
  player.stop();
  solver.stop();
  show(undefined);
  changed();
  void answer();
}

/** Plays the game anew, from where it began, the sides changed if a person plays one. */
export function rematch(): void {
  if (settings.human === "X" || settings.human === "O") settings.human = opponent(settings.human);
  remember("settings", settings);
  begin(new Game(state.game.root.position), true);
}

export async function newGame(): Promise<void> {
  const { askNewGame } = await import("../later");
  const chosen = await askNewGame(locale.texts, settings, state.game.current !== state.game.root || !state.game.startsUsually);
  if (!chosen) return;
  const { isFromHere, ...others } = chosen;
  Object.assign(settings, others);
  remember("settings", settings);
  if (state.proof) state.proof.plays = false;
  begin(isFromHere ? state.game.copy() : new Game(), settings.human !== "both");
}

export async function setUp(): Promise<void> {
  const { askSetUp } = await import("../later");
  const chosen = await askSetUp(locale.texts, position());
  if (chosen) begin(new Game(chosen), false);
}
