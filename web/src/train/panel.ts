import type { Panel } from "../views/panels";
export const panel: Panel = { elements: [], make() {}, render() {} };
