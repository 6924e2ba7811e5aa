// What is asked of the engine about a position or a game: values, solves, the analysis, proofs.

import { analysisView, makeAnalysis, renderAnalysis } from "./analysis";
import type { Panel } from "./panels";
import { knownView, makeKnown, renderKnown } from "./known";
import { makeStudy, renderStudy, studyView } from "./study";

export const panel: Panel = {
  elements: [studyView, knownView, analysisView],
  make() {
    makeStudy();
    makeKnown();
    makeAnalysis();
  },
  render() {
    renderStudy();
    renderKnown();
    renderAnalysis();
  },
};
