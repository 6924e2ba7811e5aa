// Playing, taking back, moving about in the game, beginning another one.

import { pressClock, startClocks, timeLeft } from "../clock";
import { askNewGame, askSetUp } from "../dialogs";
import { scoreText } from "../elements";
import { judge, player, solver, study } from "../engines";
import type { Info } from "../engine";
import { Game, type Node, linkOf } from "../game";
import { askProof, isProofsTurn, proofMove } from "../proof";
import { type Square, areMovesAlike, count, finalScore, legalMoves, nameOf, opponent, squareOf } from "../rules";
import { bestOf, fault, isEnd, isHuman, locale, position, redraw, retry, say, settings, show, sideName, state } from "../state";
import { remember } from "../storage";

/** How the game ended. */
export function resultText(): string {
  const { texts } = locale;
  if (state.flagged) return texts.onTime(sideName(opponent(state.flagged)));
  const score = finalScore(position());
  if (!score) return texts.draw;
  const { empty } = count(position());
  const winner = 32 + Math.abs(score) / 2;
  const side = sideName(score > 0 ? "X" : "O");
  return [texts.wins(side, winner, 64 - winner), empty && texts.emptiesToWinner(empty)].filter(Boolean).join(". ");
}

/** Shows another position of the game. */
export function go(node: Node | undefined): void {
  if (!node) return;
  leave();
  state.isPlaying = false;
  state.clocks = undefined;
  state.flagged = undefined;
  state.game.current = node;
  changed();
}

/** Ends what belongs to the position that is left. */
function leave(): void {
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
  remember("game", linkOf(state.game));
  remember("playing", state.isPlaying);
  askProof();
  redraw();
}

/** What a person chooses on the board. */
export function choose(square: Square): void {
  if (isEnd() || state.isThinking) return;
  if ((!isHuman(position().side) && state.isPlaying) || isProofsTurn()) return;
  playMove(square);
}

/** A move of whoever it is: says it, runs the clocks, lets the engine answer. */
function playMove(square: Square): boolean {
  const { game } = state;
  const mover = position().side;
  leave();
  if (!game.play(square)) return false;
  if (settings.human !== "both" && !game.current.children.length) state.isPlaying = true;
  pressClock(mover);
  const { texts } = locale;
  const words = [texts.moved(sideName(mover), nameOf(square))];
  if (isEnd()) words.push(resultText());
  else if (game.current.passes) words.push(texts.passes(sideName(opponent(mover))));
  if (state.showsValues) words.push(...valueWords());
  say(words.join(". "));
  changed();
  void answer();
  return true;
}

/** For the ear: what the position was worth, when the values were shown. */
function valueWords(): string[] {
  const best = bestOf(study.values.values());
  return best ? [`${locale.texts.bestLine}: ${best.pv[0]} ${scoreText(best.score, best.exact)}`] : [];
}

export function takeBack(): void {
  let node = state.game.current.parent;
  // In a game, to the own move before.
  const isEngines = (one: Node) => settings.human !== "none" && !isHuman(one.position.side);
  while (state.isPlaying && node?.parent && isEngines(node)) node = node.parent;
  if (!node) return;
  leave();
  state.flagged = undefined;
  state.game.current = node;
  changed();
  say(locale.texts.toMove(sideName(node.position.side)));
}

/** The game goes on from here. */
export function playOn(): void {
  state.isPlaying = true;
  changed();
  void answer();
}

export function promote(): void {
  state.game.promote();
  changed();
}

/** The words of `go` for the engine's move. */
function goWords(): string {
  if (state.clocks) return `wtime ${Math.round(1000 * timeLeft("X"))} btime ${Math.round(1000 * timeLeft("O"))}`;
  return settings.seconds ? `movetime ${1000 * settings.seconds}` : "depth 60";
}

/** Lets the engine move, if it is its turn. */
export async function answer(): Promise<void> {
  if (state.proof?.plays && answerByProof()) return;
  if (!state.isPlaying || isEnd() || isHuman(position().side)) return;
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
    const best = await player.search(position(), goWords(), { level: settings.seconds ? 0 : settings.level });
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
  let score = "";
  retry();
  try {
    const report = (info: Info) => (score = scoreText(info.score, info.exact));
    const best = await player.search(position(), "movetime 1000", { report });
    const square = best === undefined ? undefined : squareOf(best);
    if (square === undefined || state.game.current !== node) return;
    state.hint = { node, move: square };
    say(locale.texts.hintIs(best!, score));
    redraw();
  } catch (error) {
    fault(error);
  }
}

/** Begins with another game: one that is played, or one that is looked at. */
export function begin(next: Game, plays: boolean): void {
  leave();
  judge.stop();
  state.report = undefined;
  state.solve = undefined;
  state.flagged = undefined;
  state.clocks = undefined;
  state.game = next;
  state.isPlaying = plays;
  if (plays) startClocks();
  show(undefined);
  changed();
  void answer();
}

export async function newGame(): Promise<void> {
  const chosen = await askNewGame(locale.texts, settings, state.game.current !== state.game.root || !state.game.startsUsually);
  if (!chosen) return;
  const { isFromHere, ...others } = chosen;
  Object.assign(settings, others);
  remember("settings", settings);
  if (state.proof) state.proof.plays = false;
  begin(isFromHere ? state.game : new Game(), settings.human !== "both");
}

export async function setUp(): Promise<void> {
  const chosen = await askSetUp(locale.texts, position());
  if (chosen) begin(new Game(chosen), false);
}
