// What a verified proof says of the position that is shown.

import { checker } from "./engines";
import { type Color, type Square, isOver, opponent, squareOf } from "./rules";
import { position, state } from "./state";

/** Asks the checker for what the proof says. */
export function askProof(): void {
  const { proof } = state;
  if (!proof) return;
  proof.said = [];
  if (!isOver(position())) checker.lookUp(position(), position().side === proof.side);
}

/** The move of the side that the proof plays, if it is that side's turn. */
export function proofMove(): Square | undefined {
  const claim = state.proof?.said.find((one) => one.claimant && one.move);
  return claim ? squareOf(claim.move!) : undefined;
}

/** The side whose claim the proof is; none for a proof of an exact score, which has two claims. */
function claimant(): Color | undefined {
  const { proof } = state;
  if (!proof || proof.claim.includes(" and ")) return undefined;
  return proof.claim.includes(">=") ? proof.side : opponent(proof.side);
}

/** Is it the turn of the side that the proof plays? A position that it does not have is anyone's. */
export function isProofsTurn(): boolean {
  const { proof } = state;
  if (!proof?.plays || proof.said.some((one) => one.said === "absent")) return false;
  return claimant() === position().side;
}
