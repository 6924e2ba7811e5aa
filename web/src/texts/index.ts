import { en, type Texts } from "./en";
import { ja } from "./ja";

export type { Texts };
export const languages: Record<string, Texts> = { en, ja };
