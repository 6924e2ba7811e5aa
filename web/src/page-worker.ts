// The worker of the page: it gets the module and the weights from there.
import { attach } from "../engine/host.mjs";

onmessage = (() => {
  const receive = attach(self, undefined);
  return ({ data }: MessageEvent) => void receive(data);
})();
