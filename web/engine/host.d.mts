/** What a worker says and hears: see host.mjs. */
export interface Port {
  postMessage(message: unknown): void;
  close(): void;
}
export type Loaded = [WebAssembly.Module, Uint8Array[]];
export function attach(port: Port, load: (() => Promise<Loaded>) | undefined, isUnwanted?: () => boolean): (message: unknown) => Promise<void>;
