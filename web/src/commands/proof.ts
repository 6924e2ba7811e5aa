// Proofs: what the checker says of a file, and play against it.

import { checker } from "../engines";
import type { Checked } from "../checker";
import { Game } from "../game";
import { positionOf } from "../rules";
import { fault, later, locale, redraw, say, settings, state } from "../state";
import { answerByProof, begin } from "./play";

export function checkProof(bytes: Uint8Array): void {
  checker.check(bytes);
}

function heard(found: Checked): void {
  if (found.percent !== undefined) {
    state.checking = { percent: found.percent };
  } else if (found.proven !== undefined) {
    const start = positionOf(found.root!)!;
    state.checking = undefined;
    state.proof = { side: start.side, claim: found.proven, report: found.report!, said: [], plays: false };
    settings.human = "both";
    begin(new Game(start), false);
    say(locale.texts.proofHolds(found.proven));
  } else if (found.said) {
    if (state.proof) state.proof.said = found.said;
    answerByProof();
  } else if (found.missing) {
    state.proof = undefined;
    state.checking = undefined;
    fault(found.missing);
  } else {
    state.proof = undefined;
    state.checking = { wrong: found.wrong ?? found.error ?? "" };
    say(locale.texts.proofWrong);
  }
  later();
}

checker.hear = heard;

export function toggleProofsPlay(): void {
  if (!state.proof) return;
  state.proof.plays = !state.proof.plays;
  answerByProof();
  redraw();
}
