// What a reload keeps. A page from a disk, or of a private window, may have no storage: then nothing is kept.

export function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(`emilia.${key}`, JSON.stringify(value));
  } catch {
    // Not kept.
  }
}

export function recall<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(`emilia.${key}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
