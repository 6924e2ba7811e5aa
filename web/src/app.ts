// The page: one state, one render, and what buttons, keys, links and workers do to the state.

import { Board, type CellValue } from "./board";
import { button, h, scoreText, svg } from "./dom";
import { Engine, type GameReport, type Info, type Judged } from "./engine";
import { Game, type Node, gameOf, ggfOf, linkOf, readLink } from "./game";
import { askNewGame, askSetUp, chooseGame, type NewGame } from "./dialogs";
import { Checker, type Claim } from "./checker";
import { openingOf, prepareOpenings } from "./openings";
import { boardPng, boardSvg, save } from "./picture";
import { type Point, graph, pointsOf, table, turningPoints } from "./report";
import { resources } from "./resources";
import { type Color, START, count, finalScore, isOver, nameOf, opponent, positionOf, squareOf, textOf } from "./rules";
import { recall, remember } from "./storage";
import { Study } from "./study";
import { languages, type Texts } from "./texts";

/** Larger files hold more than a page can show. */
const MOST_BYTES = 64 << 20;
const ANALYSIS = { depth: 14, exact: 20, wld: 22, hash_mb: 64 };

const loaded = resources();
const player = new Engine(loaded, { hashMb: 64 });
const reader = new Engine(loaded, { weights: false });
const judge = new Engine(loaded);
const solver = new Engine(loaded, { hashMb: 64 });
const checker = new Checker(loaded, onChecked);

interface Solve {
  node: Node;
  goal: "exact" | "wld";
  info: Info | undefined;
  state: "running" | "done" | "stopped";
}

const settings: NewGame = { human: "X", level: 3, seconds: 0, minutes: 0, ...recall<NewGame>("settings") };
let language = recall<string>("language") ?? (navigator.language.startsWith("ja") ? "ja" : "en");
let texts: Texts = languages[language] ?? languages["en"]!;
let game = new Game();
/** Does the engine answer at the end of the line? Only in a game, not while one is looked at. */
let isPlaying = false;
let isThinking = false;
let hint: { node: Node; move: number } | undefined;
let showsValues = false;
let solve: Solve | undefined;
let report: { game: Game; line: Node[]; found?: GameReport; points: Point[] } | undefined;
let clocks: { X: number; O: number; since: number } | undefined;
let flagged: Color | undefined;
let proof: { side: Color; claims: string[]; report: string; said: Claim[]; plays: boolean } | undefined;

const study = new Study(loaded, () => later(), fault);
const board = new Board(texts, { choose, key: boardKey }, texts.board);

// What the screen reader says, and what everyone reads below the board.
const live = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
const message = h("p", { class: "message", role: "alert", hidden: true });
const sides = { X: h("div", { class: "side" }), O: h("div", { class: "side" }) };
const status = h("p", { class: "status" });
const panels = h("div", { class: "panels" });
const bar = h("div", { class: "bar" });

function say(words: string): void {
  live.textContent = words;
}

function fault(reason: string): void {
  show(texts.failed(reason));
}

function show(words: string | undefined): void {
  message.textContent = words ?? "";
  message.hidden = !words;
}

const sideName = (side: Color) => (side === "X" ? texts.black : texts.white);
const isHuman = (side: Color) => settings.human === "both" || settings.human === side;
const position = () => game.current.position;
const isEnd = () => isOver(position()) || flagged !== undefined;

// Rendering: at most once a frame, whatever the workers report.
let isDue = false;
function later(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    render();
  });
}

function valuesNow(): Map<number, CellValue> {
  const found = new Map<number, CellValue>();
  const infos = new Map<number, Info>(showsValues ? study.values : []);
  const square = solve?.node === game.current && solve.info ? squareOf(solve.info.pv[0] ?? "") : undefined;
  if (square !== undefined && solve!.info!.exact) infos.set(square, solve!.info!);
  const best = Math.max(...[...infos.values()].map(({ score }) => score));
  for (const [at, info] of infos) {
    found.set(at, { text: scoreText(info.score, info.exact), isBest: info.score === best, isProven: info.exact });
  }
  return found;
}

function renderSide(side: Color): void {
  const { X, O } = count(position());
  const left = clocks && `${Math.floor(Math.max(0, timeLeft(side)) / 60)}:${String(Math.floor(Math.max(0, timeLeft(side)) % 60)).padStart(2, "0")}`;
  const strength = settings.seconds ? texts.best(settings.seconds) : texts.level(settings.level);
  const player = isHuman(side) ? texts.you : `Emilia, ${strength}`;
  const name = game.names[side === "X" ? "black" : "white"] || (isPlaying ? player : "");
  const isTurn = !isEnd() && position().side === side;
  sides[side].className = `side ${isTurn ? "turn" : ""}`;
  sides[side].replaceChildren(h("span", { class: `dot ${side}` }), h("span", { class: "name" }, sideName(side), name && h("small", {}, ` ${name}`)), h("span", { class: "clock" }, left), h("span", { class: "count" }, String(side === "X" ? X : O)));
}

function resultText(): string {
  if (flagged) return texts.onTime(sideName(opponent(flagged)));
  const score = finalScore(position());
  if (!score) return texts.draw;
  const { empty } = count(position());
  const winner = 32 + Math.abs(score) / 2;
  return [texts.wins(sideName(score > 0 ? "X" : "O"), winner, 64 - winner), empty && texts.emptiesToWinner(empty)].filter(Boolean).join(". ");
}

function statusText(): string {
  if (isEnd()) return resultText();
  const { side } = position();
  const words = [isThinking ? texts.thinks(sideName(side)) : texts.toMove(sideName(side))];
  if (game.current.passes) words.unshift(texts.passes(sideName(opponent(side))));
  return words.join(" · ");
}

function render(): void {
  const { current } = game;
  board.show({
    position: position(),
    last: current.move,
    hint: hint?.node === current ? hint.move : undefined,
    isOpen: !isEnd() && !isThinking,
    values: valuesNow(),
  });
  renderSide("X");
  renderSide("O");
  status.textContent = statusText();
  opening.textContent = (game.startsUsually && openingOf(game.path(), language)) || "\u00a0";
  renderBar();
  renderStudy();
  renderMoves();
  renderAnalysis();
  renderProof();
}

const opening = h("p", { class: "opening" });

// The bar below the board.
let barButtons: Record<"first" | "previous" | "next" | "last" | "back" | "hint" | "on", HTMLButtonElement>;
function makeBar(): void {
  const icon = (path: string, label: string, act: () => void) => {
    const made = button("", act, { class: "icon", "aria-label": label, title: label });
    made.append(svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path })));
    return made;
  };
  barButtons = {
    first: icon("M3 3h2v10H3zM13 3v10L6 8z", texts.first, () => go(game.root)),
    previous: icon("M11 3v10L4 8z", texts.previous, () => go(game.current.parent)),
    next: icon("M5 3v10l7-5z", texts.next, () => go(game.current.children[0])),
    last: icon("M3 3v10l7-5zM11 3h2v10h-2z", texts.last, () => go(game.line().at(-1))),
    back: button(texts.takeBack, takeBack),
    hint: button(texts.hint, () => void giveHint()),
    on: button(texts.playOn, playOn),
  };
  bar.replaceChildren(h("div", { class: "steps" }, barButtons.first, barButtons.previous, barButtons.next, barButtons.last), barButtons.back, barButtons.hint, barButtons.on);
}

function renderBar(): void {
  const { parent, children } = game.current;
  barButtons.first.disabled = barButtons.previous.disabled = barButtons.back.disabled = !parent;
  barButtons.next.disabled = barButtons.last.disabled = !children.length;
  barButtons.hint.disabled = isEnd() || isThinking;
  barButtons.on.hidden = isPlaying || settings.human === "both" || isEnd();
}

// Moving about.
function go(node: Node | undefined): void {
  if (!node) return;
  leave();
  isPlaying = false;
  clocks = undefined;
  flagged = undefined;
  game.current = node;
  changed();
}

/** Ends what belongs to the position that is left. */
function leave(): void {
  player.stop();
  isThinking = false;
  hint = undefined;
  if (solve?.state === "running") stopSolve();
}

function changed(): void {
  if (showsValues && !isEnd()) study.start(position());
  else study.stop();
  if (!showsValues) study.values.clear();
  keep();
  askProof();
  render();
}

function keep(): void {
  remember("game", linkOf(game));
  remember("playing", isPlaying);
}

function choose(square: number): void {
  if (isEnd() || isThinking) return;
  const { side } = position();
  if ((!isHuman(side) && isPlaying) || isProofsTurn()) return;
  playMove(square);
}

/** A move of whoever it is: says it, runs the clocks, lets the engine answer. */
function playMove(square: number): boolean {
  const mover = position().side;
  leave();
  if (!game.play(square)) return false;
  if (!isPlaying && settings.human !== "both" && !game.current.children.length) isPlaying = true;
  pressClock(mover);
  const words = [texts.moved(sideName(mover), nameOf(square))];
  if (isEnd()) words.push(resultText());
  else if (game.current.passes) words.push(texts.passes(sideName(opponent(mover))));
  say(words.join(". "));
  changed();
  void answer();
  return true;
}

function takeBack(): void {
  const { current } = game;
  let node = current.parent;
  // In a game, to the own move before.
  while (isPlaying && node?.parent && settings.human !== "none" && !isHuman(node.position.side)) node = node.parent;
  if (!node) return;
  leave();
  flagged = undefined;
  game.current = node;
  changed();
  say(texts.toMove(sideName(node.position.side)));
}

function playOn(): void {
  isPlaying = true;
  changed();
  void answer();
}

/** The words of `go` for the engine's move. */
function goWords(): string {
  if (clocks) return `wtime ${Math.round(1000 * timeLeft("X"))} btime ${Math.round(1000 * timeLeft("O"))}`;
  return settings.seconds ? `movetime ${1000 * settings.seconds}` : "depth 60";
}

async function answer(): Promise<void> {
  const { side } = position();
  if (proof?.plays && answerByProof()) return;
  if (!isPlaying || isEnd() || isHuman(side)) return;
  const node = game.current;
  isThinking = true;
  render();
  try {
    const level = settings.seconds ? 0 : settings.level;
    const best = await player.search(position(), goWords(), { level });
    if (best === undefined || game.current !== node) return;
    isThinking = false;
    const square = squareOf(best);
    if (square !== undefined) playMove(square);
  } catch (error) {
    isThinking = false;
    isPlaying = false;
    fault((error as Error).message);
    render();
  }
}

async function giveHint(): Promise<void> {
  const node = game.current;
  let score = "";
  try {
    const report = (info: Info) => (score = scoreText(info.score, info.exact));
    const best = await player.search(position(), "movetime 1000", { report });
    const square = best === undefined ? undefined : squareOf(best);
    if (square === undefined || game.current !== node) return;
    hint = { node, move: square };
    say(texts.hintIs(best!, score));
    render();
  } catch (error) {
    fault((error as Error).message);
  }
}

// Clocks.
function timeLeft(side: Color): number {
  if (!clocks) return 0;
  const runs = position().side === side && !isEnd() && isPlaying;
  return clocks[side] - (runs ? (performance.now() - clocks.since) / 1000 : 0);
}

function pressClock(mover: Color): void {
  if (!clocks) return;
  const now = performance.now();
  clocks[mover] -= (now - clocks.since) / 1000;
  clocks.since = now;
}

setInterval(() => {
  if (!clocks || isEnd() || !isPlaying) return;
  const { side } = position();
  if (timeLeft(side) <= 0) {
    leave();
    clocks[side] = 0;
    flagged = side;
    say(resultText());
    render();
  } else {
    renderSide("X");
    renderSide("O");
  }
}, 250);

// Games that begin.
function begin(next: Game, plays: boolean): void {
  leave();
  judge.stop();
  report = undefined;
  solve = undefined;
  flagged = undefined;
  clocks = plays && settings.minutes ? { X: 60 * settings.minutes, O: 60 * settings.minutes, since: performance.now() } : undefined;
  game = next;
  isPlaying = plays;
  show(undefined);
  changed();
  void answer();
}

async function newGame(): Promise<void> {
  const chosen = await askNewGame(texts, settings);
  if (!chosen) return;
  Object.assign(settings, chosen);
  remember("settings", settings);
  if (proof) proof.plays = false;
  begin(new Game(), settings.human !== "both");
  board.focus();
}

async function setUp(): Promise<void> {
  const chosen = await askSetUp(texts, position());
  if (chosen) begin(new Game(chosen), false);
}

// Study.
const studyBox = h("section", { class: "card" });
let studyParts: { values: HTMLButtonElement; exact: HTMLButtonElement; wld: HTMLButtonElement; stop: HTMLButtonElement; words: HTMLElement; solved: HTMLElement };
function makeStudy(): void {
  studyParts = {
    values: button(texts.values, toggleValues, { "aria-pressed": "false" }),
    exact: button(texts.solveExact, () => void startSolve("exact")),
    wld: button(texts.solveWld, () => void startSolve("wld")),
    stop: button(texts.stop, stopSolve),
    words: h("p", { class: "faint" }),
    solved: h("p", {}),
  };
  const { values, exact, wld, stop, words, solved } = studyParts;
  studyBox.replaceChildren(h("h2", {}, texts.study), h("div", { class: "buttons" }, values, exact, wld, stop), words, solved);
}

function toggleValues(): void {
  showsValues = !showsValues;
  if (showsValues && !isEnd()) study.start(position());
  else {
    study.stop();
    study.values.clear();
  }
  render();
}

const grouped = (number: number) => number.toLocaleString(language);

function bestOf(values: Iterable<Info>): Info | undefined {
  return [...values].sort((a, b) => b.score - a.score)[0];
}

function renderStudy(): void {
  const { values, exact, wld, stop, words, solved } = studyParts;
  values.setAttribute("aria-pressed", String(showsValues));
  const isSolving = solve?.state === "running";
  exact.disabled = wld.disabled = isEnd() || isSolving;
  stop.hidden = !isSolving;
  const best = showsValues ? bestOf(study.values.values()) : undefined;
  words.textContent = best
    ? `${texts.depth} ${study.depth} · ${grouped(study.nodes)} ${texts.nodes} · ${texts.bestLine}: ${best.pv.slice(0, 8).join(" ")}`
    : showsValues && !isEnd() ? texts.loading : texts.valuesHelp;
  solved.textContent = solve?.node === game.current ? solveText(solve) : "";
}

function solveText({ info, state }: Solve): string {
  const head = state === "running" ? texts.solving : state === "stopped" ? texts.stopped : texts.solved;
  if (!info) return state === "running" ? `${head} …` : "";
  const value = info.value && { win: texts.win, draw: texts.drawn, loss: texts.loss }[info.value];
  const proven = info.exact ? `${scoreText(info.score, true)} =` : value ? `${value} =` : scoreText(info.score, false);
  const effort = `${texts.depth} ${info.depth}${info.selectivity ? ` (${info.selectivity}%)` : ""} · ${grouped(info.nodes)} ${texts.nodes} · ${(info.time / 1000).toFixed(1)} s`;
  return `${head}: ${proven} · ${info.pv.slice(0, 8).join(" ")} · ${effort}`;
}

async function startSolve(goal: "exact" | "wld"): Promise<void> {
  const mine: Solve = { node: game.current, goal, info: undefined, state: "running" };
  solve = mine;
  study.stop();
  render();
  try {
    const report = (info: Info) => {
      mine.info = info;
      later();
    };
    const best = await solver.search(position(), goal, { report });
    mine.state = best === undefined ? "stopped" : "done";
  } catch (error) {
    mine.state = "stopped";
    fault((error as Error).message);
  }
  if (solve === mine && mine.state === "done") say(solveText(mine));
  later();
}

function stopSolve(): void {
  solver.stop();
}

// Moves and variations.
const movesBox = h("section", { class: "card" });
const movesList = h("div", { class: "moves", role: "group" });
function renderMoves(): void {
  const line = game.line();
  const items = line.slice(1).map((node) => {
    const words = [nameOf(node.move!)];
    const mover = node.parent!.position.side;
    const one = h("button", { type: "button", class: "move", "aria-current": node === game.current ? "true" : undefined, onclick: () => go(node), "aria-label": `${node.ply}. ${sideName(mover)} ${words[0]}${node.passes ? `, ${texts.passes(sideName(opponent(mover)))}` : ""}` });
    one.append(h("span", { class: `dot ${mover}` }), words[0]!, node.passes ? " –" : "");
    if (node.parent!.children.length > 1) one.classList.add("branch");
    return one;
  });
  const { parent } = game.current;
  const others = (parent?.children ?? []).filter((node) => node !== game.current);
  movesList.replaceChildren(...items);
  const branches = others.length > 0 && h("p", { class: "buttons" }, `${texts.variation}: `, ...others.map((node) => button(nameOf(node.move!), () => go(node), { class: "move" })), parent!.children[0] !== game.current && button(texts.promote, promote, { class: "quiet" }));
  movesBox.replaceChildren(h("h2", {}, texts.moves), movesList, branches || "");
  movesBox.hidden = line.length < 2;
  const chosen = movesList.querySelector<HTMLElement>("[aria-current]");
  if (chosen) movesList.scrollTop = chosen.offsetTop - movesList.clientHeight / 2;
}

function promote(): void {
  game.promote();
  changed();
}

// Analysis.
const analysisBox = h("section", { class: "card" });
let analyseButton: HTMLButtonElement;
let analysisPlace: HTMLElement;
function makeAnalysis(): void {
  analyseButton = button(texts.analyse, () => void analyse());
  analysisPlace = h("div");
  analysisBox.replaceChildren(h("h2", {}, texts.analysis), h("div", { class: "buttons" }, analyseButton), analysisPlace);
  drawn = undefined;
}

let drawn: string | undefined;
function renderAnalysis(): void {
  analyseButton.textContent = judge.isBusy ? texts.stop : texts.analyse;
  if (!report) {
    analysisPlace.replaceChildren();
    drawn = undefined;
    return;
  }
  const { found, line, points } = report;
  const at = line.indexOf(game.current);
  const key = `${at} ${points.length} ${found !== undefined} ${judge.isBusy}`;
  if (key === drawn) return;
  drawn = key;
  const all = line.length - 1;
  const to = (number: number) => go(line[number]);
  const parts: (Element | undefined)[] = [];
  if (judge.isBusy) parts.push(h("p", { class: "faint" }, texts.analysing(points.length, all)));
  parts.push(graph(points, all, Math.max(0, at), texts, to));
  if (found) parts.push(turningPoints(found, texts, to), table(found, at, texts, to));
  const scroll = analysisPlace.querySelector(".table")?.scrollTop;
  analysisPlace.replaceChildren(...parts.filter((part) => part !== undefined));
  const list = analysisPlace.querySelector<HTMLElement>(".table");
  const row = list?.querySelector<HTMLElement>("tr[aria-current]");
  if (!list) return;
  list.scrollTop = scroll ?? 0;
  if (row && (row.offsetTop < list.scrollTop + row.offsetHeight || row.offsetTop > list.scrollTop + list.clientHeight - row.offsetHeight)) {
    list.scrollTop = row.offsetTop - list.clientHeight / 2;
  }
}

async function analyse(): Promise<void> {
  if (judge.isBusy) {
    judge.stop();
    return;
  }
  const line = game.line();
  const all = line.length - 1;
  if (!all) return show(texts.noMoves);
  const mine: NonNullable<typeof report> = { game, line, points: [] };
  report = mine;
  const heard = (judged: Judged) => {
    // Passes are moves there and none here.
    const number = all - mine.points.length;
    if (number < 1) return;
    mine.points.unshift({ number, black: judged.black, exact: judged.exact, bad: false });
    later();
  };
  const request = { start: textOf(game.root.position), moves: game.transcript(line), ...ANALYSIS, black: game.names.black, white: game.names.white };
  const asked = judge.analyze(request, heard);
  render();
  try {
    const found = await asked;
    if (found) {
      mine.found = found;
      mine.points = pointsOf(found);
      say(`${texts.analysis}: ${found.result}`);
    }
  } catch (error) {
    fault((error as Error).message);
  }
  drawn = undefined;
  later();
}

// Proofs.
const proofBox = h("section", { class: "card", hidden: true });
function onChecked(found: Parameters<ConstructorParameters<typeof Checker>[1]>[0]): void {
  proofBox.hidden = false;
  if (found.percent !== undefined) {
    proofBox.replaceChildren(h("h2", {}, texts.proof), h("p", {}, texts.checking(found.percent)), h("progress", { max: 100, value: found.percent, "aria-label": texts.proof }));
  } else if (found.proven !== undefined) {
    const start = positionOf(found.root!)!;
    proof = { side: start.side, claims: [found.proven], report: found.report!, said: [], plays: false };
    settings.human = "both";
    begin(new Game(start), false);
    say(texts.proofHolds(found.proven));
  } else if (found.said) {
    if (proof) proof.said = found.said;
    renderProof();
  } else {
    proof = undefined;
    proofBox.replaceChildren(h("h2", {}, texts.proof), h("p", { class: "bad" }, `${texts.proofWrong} ${found.wrong ?? found.error}`));
    say(texts.proofWrong);
  }
}

function askProof(): void {
  if (!proof) return;
  proof.said = [];
  if (!isOver(position())) checker.lookUp(position(), position().side === proof.side);
}

function renderProof(): void {
  if (!proof) return;
  const claim = proof.said.find((one) => one.claimant && one.move);
  const words = claim ? texts.proofSays(claim.move!) : proof.said.some((one) => one.said === "reply" || one.said === "leaf" || one.said === "below") ? texts.proofReply : proof.said.length ? texts.proofAbsent : "";
  const toggle = () => {
    proof!.plays = !proof!.plays;
    renderProof();
    if (proof!.plays) answerByProof();
  };
  proofBox.replaceChildren(h("h2", {}, texts.proof), h("p", {}, h("strong", { class: "good" }, "✓ " + texts.proofHolds(proof.claims.join()))),
    h("p", {}, texts.proofAbout(sideName(proof.side), proof.claims.join())), h("p", { class: "faint" }, proof.report), h("p", {}, words),
    h("div", { class: "buttons" }, button(texts.proofPlay, toggle, { "aria-pressed": String(proof.plays) })));
  if (proof.plays) answerByProof();
}

/** Is it the turn of the side that the proof plays? A position that it does not have is anyone's. */
function isProofsTurn(): boolean {
  if (!proof?.plays || proof.said.some((one) => one.said === "absent")) return false;
  const claimants = proof.claims.join().split(" and ").map((claim) => (claim.includes(">=") ? proof!.side : opponent(proof!.side)));
  return claimants.length === 1 && claimants[0] === position().side;
}

/** Plays the proof's move if it is the claimant's turn. */
function answerByProof(): boolean {
  const claim = proof?.plays && proof.said.find((one) => one.claimant && one.move);
  const square = claim ? squareOf(claim.move!) : undefined;
  if (square === undefined || game.current.children.length > 0) return false;
  proof!.said = [];
  const node = game.current;
  setTimeout(() => node === game.current && playMove(square), 300);
  return true;
}

// In and out.
async function open(bytes: Uint8Array): Promise<void> {
  show(undefined);
  if (bytes.length > MOST_BYTES) return show(texts.tooLarge);
  if (Checker.isProof(bytes)) {
    checker.check(bytes);
    return;
  }
  const text = new TextDecoder().decode(bytes.subarray(0, 4096)).trim();
  const link = /^\S+#(\S+)$/.exec(text);
  const linked = link && readLink(link[1]!);
  if (linked) return begin(linked, false);
  try {
    const found = await reader.games(bytes);
    if (!found) return;
    const [first] = found.games;
    if (!first) return show([texts.nothingRead, ...found.errors.slice(0, 3)].join(" "));
    const chosen = found.games.length > 1 ? await chooseGame(texts, found.games) : first;
    const start = chosen && positionOf(chosen.start);
    if (!start) return;
    const { game: opened } = gameOf(start, chosen.moves);
    opened.names = { black: chosen.black, white: chosen.white };
    // A position is there to be played on; a game is there to be looked at.
    begin(opened, false);
    say(texts.opened(found.kind ?? ""));
    if (found.errors.length) show(found.errors.slice(0, 3).join(" "));
  } catch (error) {
    fault((error as Error).message);
  }
}

const openText = (text: string) => open(new TextEncoder().encode(text));

function address(): string {
  return `${location.href.replace(/#.*/, "")}#${linkOf(game)}`;
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(texts.copied);
  note.textContent = texts.copied;
  setTimeout(() => (note.textContent = ""), 2000);
}

const note = h("span", { class: "faint", "aria-hidden": "true" });
const shareBox = h("section", { class: "card" });
function makeShare(): void {
  const file = h("input", { type: "file", class: "hidden", tabindex: -1, "aria-label": texts.open });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (chosen) await openFile(chosen);
    file.value = "";
  });
  const area = h("textarea", { rows: 2, placeholder: texts.pasteHere, "aria-label": texts.pasteHere });
  const read = button(texts.read, () => {
    void openText(area.value);
    area.value = "";
  });
  const out = [
    button(texts.copyLink, () => void copy(address())),
    button(texts.copyMoves, () => void copy(game.transcript())),
    button(texts.copyBoard, () => void copy(textOf(position()))),
    button(texts.copyGgf, () => void copy(ggfOf(game))),
    button(texts.savePng, async () => save("emilia.png", await boardPng(position(), game.current.move))),
    button(texts.saveSvg, () => save("emilia.svg", new Blob([boardSvg(position(), game.current.move)], { type: "image/svg+xml" }))),
  ];
  if ("share" in navigator) out.push(button(texts.shareLink, () => void navigator.share({ url: address() }).catch(() => {})));
  shareBox.replaceChildren(h("h2", {}, texts.share), h("p", { class: "faint" }, texts.pasteHelp), h("div", { class: "paste" }, area, h("div", { class: "buttons" }, read, button(texts.open, () => file.click()), button(texts.setUp, () => void setUp()), file)), h("div", { class: "buttons" }, ...out, note));
}

async function openFile(file: File): Promise<void> {
  if (file.size > MOST_BYTES) return show(texts.tooLarge);
  await open(new Uint8Array(await file.arrayBuffer()));
}

addEventListener("paste", (event) => {
  const target = event.target as Element | null;
  if (target?.closest("textarea, input, dialog")) return;
  const file = event.clipboardData?.files[0];
  const text = event.clipboardData?.getData("text/plain");
  if (file) void openFile(file);
  else if (text) void openText(text);
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  const text = event.dataTransfer?.getData("text/plain");
  if (file) void openFile(file);
  else if (text) void openText(text);
});
addEventListener("hashchange", () => {
  const linked = readLink(location.hash);
  if (linked) begin(linked, false);
  else if (location.hash.length > 1) show(texts.badLink);
});

function boardKey(key: string): boolean {
  if (key === "Backspace") takeBack();
  else if (key.toLowerCase() === "a") void analyse();
  else if (key.toLowerCase() === "v") toggleValues();
  else return false;
  return true;
}

// The whole page.
const header = h("header");
function makeHeader(): void {
  const select = h("select", { "aria-label": "Language / 言語" }, ...Object.entries(languages).map(([key, { language: name }]) => h("option", { value: key, selected: key === language, lang: key }, name)));
  select.addEventListener("change", () => {
    language = select.value;
    remember("language", language);
    make();
    header.querySelector("select")!.focus();
  });
  header.replaceChildren(h("div", { class: "brand" }, h("span", { class: "logo", "aria-hidden": "true" }), h("h1", {}, texts.title), h("span", { class: "faint tagline" }, texts.tagline)), button(texts.newGame, () => void newGame(), { class: "primary" }), select);
}

function make(): void {
  texts = languages[language] ?? languages["en"]!;
  document.documentElement.lang = language;
  document.title = `${texts.title} – ${texts.tagline}`;
  board.setTexts(texts, texts.board);
  board.element.querySelector(".grid")!.setAttribute("aria-description", texts.boardHelp);
  makeHeader();
  makeBar();
  makeStudy();
  makeAnalysis();
  makeShare();
  movesList.setAttribute("aria-label", texts.moves);
  render();
}

function startPage(): void {
  const left = h("div", { class: "left" }, h("div", { class: "sides" }, sides.X, sides.O), board.element, status, opening, bar);
  panels.append(message, proofBox, studyBox, movesBox, analysisBox, shareBox);
  document.body.append(header, h("main", {}, left, panels), live);
  const linked = readLink(location.hash);
  const kept = recall<string>("game");
  const keptGame = kept ? readLink(kept) : undefined;
  game = linked ?? keptGame ?? game;
  isPlaying = linked ? false : keptGame ? recall<boolean>("playing") === true : true;
  make();
  if (location.hash.length > 1 && !linked) show(texts.badLink);
  player.warm();
  void answer();
  setTimeout(() => {
    prepareOpenings();
    later();
  }, 1000);
}

startPage();
// For tests: what a killed worker does.
Object.assign(globalThis, { emilia: { kill: () => [player, reader, judge, solver, study].forEach((engine) => engine.kill()) } });
if ("serviceWorker" in navigator && location.protocol.startsWith("http") && !document.getElementById("part0")) {
  navigator.serviceWorker.register("sw.js").catch(() => {});
}
