// The proof that was dropped on the page.

import { toggleProofsPlay } from "../commands/proof";
import { button, h } from "../elements";
import { locale, sideName, state, type Proof } from "../state";

export const proofView = h("section", { class: "card" });

export function renderProof(): void {
  const { checking, proof } = state;
  const { texts } = locale;
  proofView.hidden = !checking && !proof;
  const head = h("h2", {}, texts.proof);
  if (checking?.percent !== undefined) {
    proofView.replaceChildren(head, h("p", {}, texts.checking(checking.percent)), h("progress", { max: 100, value: checking.percent, "aria-label": texts.proof }));
  } else if (checking) {
    proofView.replaceChildren(head, h("p", { class: "bad" }, `${texts.proofWrong} ${checking.wrong}`));
  } else if (proof) {
    proofView.replaceChildren(head, ...verified(proof));
  }
}

function verified({ side, claim, report, plays, said }: Proof): HTMLElement[] {
  const { texts } = locale;
  const own = said.find((one) => one.claimant && one.move);
  const isAnswered = said.some((one) => ["reply", "leaf", "below"].includes(one.said));
  const words = own ? texts.proofSays(own.move!) : isAnswered ? texts.proofReply : said.length ? texts.proofAbsent : "";
  return [
    h("p", {}, h("strong", { class: "good" }, `✓ ${texts.proofHolds(claim)}`)),
    h("p", {}, texts.proofAbout(sideName(side), claim)),
    h("p", { class: "faint" }, report),
    h("p", {}, words),
    h("div", { class: "buttons" }, button(texts.proofPlay, toggleProofsPlay, { "aria-pressed": String(plays) })),
  ];
}
