// Keeps the site for times without a network: all files of one version, or none of it.

declare const CACHED: string[];
declare const VERSION: string;

interface Lasting extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
const worker = self as unknown as EventTarget & { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } };
const on = <E extends Event>(name: string, act: (event: E) => void) => worker.addEventListener(name, (event) => act(event as E));
const cacheName = `emilia-${VERSION}`;

on<Lasting>("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(CACHED)).then(() => worker.skipWaiting()));
});

on<Lasting>("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("emilia-") && name !== cacheName) await caches.delete(name);
    }
    await worker.clients.claim();
  };
  event.waitUntil(tidy());
});

on<Fetching>("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(location.origin)) return;
  const answer = async () => {
    const cached = await caches.match(event.request, { ignoreSearch: true });
    // The page itself is looked for anew, so that a new version is seen.
    if (event.request.mode === "navigate") return fetch(event.request).catch(() => cached ?? caches.match("./").then((page) => page ?? Response.error()));
    return cached ?? fetch(event.request);
  };
  event.respondWith(answer());
});
