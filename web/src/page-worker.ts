// The worker of the page: it gets the module and the weights from there.
//
// A busy worker that is ended runs on for two seconds in Chromium. So a search looks now and then whether a blob of the page is
// still there, and the page revokes it when it ends the worker. (A page from a disk cannot show its blobs to workers.)

import { attach } from "../engine/host.mjs";

/** Milliseconds between two looks: as many times longer than a look, so that looks take 2% of the time, within limits. */
const LOOKS = 50;
const [SHORTEST, LONGEST] = [20, 200];

let leash: string | undefined;
let next = 0;

function isThere(url: string): boolean {
  const request = new XMLHttpRequest();
  try {
    request.open("GET", url, false);
    request.send();
    return request.status === 200;
  } catch {
    return false;
  }
}

function isUnwanted(): boolean {
  const now = performance.now();
  if (!leash || now < next) return false;
  const isGone = !isThere(leash);
  next = now + Math.min(LONGEST, Math.max(SHORTEST, LOOKS * (performance.now() - now)));
  return isGone;
}

const receive = attach(self, undefined, isUnwanted);
onmessage = ({ data }: MessageEvent) => {
  if (data.leash) leash = isThere(data.leash) ? data.leash : undefined;
  else void receive(data);
};
