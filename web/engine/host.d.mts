/** What a worker says and hears: see host.mjs. */
export interface Port {
  postMessage(message: unknown): void;
  close(): void;
}
/** The module, the parts of the weight file, the model of people. */
export type Loaded = [WebAssembly.Module, Uint8Array[], Uint8Array];
export function attach(port: Port, load: (() => Promise<Loaded>) | undefined, isUnwanted?: () => boolean): (message: unknown) => Promise<void>;
