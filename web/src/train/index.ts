// The trainer, loaded when it is asked for.

export { start } from "./lesson";
export { panel } from "./panel";
export { addMistakes } from "./progress";
