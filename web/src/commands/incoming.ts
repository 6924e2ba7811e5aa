// Where games come from without being asked for: a paste, a drop, the address. What reads them is loaded then.

import { fromHistory } from "../kept";
import { fault, locale, show } from "../state";
import { restoreFromHistory } from "./keep";
import { shown } from "./play";

/** Opens what is pasted or dropped anywhere but in a field or a dialog. */
export function takeAnything(): void {
  const take = (data: DataTransfer | null) => {
    const file = data?.files[0];
    const text = data?.getData("text/plain");
    if (file || text) void import("../later").then(({ openFile, openText }) => (file ? openFile(file) : openText(text!))).catch(fault);
  };
  addEventListener("paste", (event) => {
    const target = event.target as Element | null;
    if (!target?.closest("textarea, input, dialog")) take(event.clipboardData);
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer);
  });
  // Back and forward lead to games as they were left, a new link to its own.
  addEventListener("popstate", async () => {
    if (fromHistory() && (await restoreFromHistory())) shown();
  });
  addEventListener("hashchange", () => {
    if (!fromHistory()) void import("../later").then(({ openAddress }) => openAddress() || show(locale.texts.badLink)).catch(fault);
  });
}
