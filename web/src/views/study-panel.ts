// What is asked of the engine about a position or a game: values, solves, the analysis, proofs.

import { analysisView, makeAnalysis, renderAnalysis } from "./analysis";
import type { Panel } from "./panels";
import { makeStudy, renderStudy, studyView } from "./study";

export const panel: Panel = {
  elements: [studyView, analysisView],
  make() {
    makeStudy();
    makeAnalysis();
  },
  render() {
    renderStudy();
    renderAnalysis();
  },
};
