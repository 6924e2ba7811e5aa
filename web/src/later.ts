// What the first game does not need: one file, loaded when any of it is asked for.

export { analyse, toggleValues } from "./commands/study";
export { open, openAddress, openFile, openText } from "./commands/exchange";
export { askNewGame, askSetUp } from "./dialogs";
export { sound } from "./sounds";
export { showEnd } from "./views/end";
export { panel as games } from "./views/games-panel";
export { showHelp } from "./views/help";
export { flip, showLook } from "./views/look";
export { panel as study } from "./views/study-panel";
