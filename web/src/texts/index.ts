import { en, type Texts } from "./en";

export { en, type Texts };

/** The languages by their own names; their texts, but for English, are loaded when they are needed. */
export const languages: Record<string, string> = { en: "English", ja: "日本語" };

export async function textsOf(language: string): Promise<Texts | undefined> {
  if (language === "en") return en;
  if (language === "ja") return (await import("./ja")).ja;
  return undefined;
}
