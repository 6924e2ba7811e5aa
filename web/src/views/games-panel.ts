// What was played, what comes in and what goes out.

import { gamesView, makeGames, renderGames } from "./games";
import type { Panel } from "./panels";
import { makeShare, renderShare, shareView } from "./share";

export const panel: Panel = {
  elements: [gamesView, shareView],
  make() {
    makeGames();
    makeShare();
  },
  render() {
    renderGames();
    renderShare();
  },
};
