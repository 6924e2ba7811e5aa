// The workers that share the moves of one position.

import { Engine } from "./engine";
import type { Resources } from "./resources";

/** Workers that a device bears: one takes about 100 MB when it solves, and the page itself needs a core where there are many. */
export function workersOf(cores: number, gigabytes: number): number {
  return Math.max(1, Math.min(cores > 2 ? cores - 1 : cores, gigabytes < 4 ? 1 : gigabytes < 8 ? 2 : 8));
}

export class Team {
  readonly engines: Engine[];

  constructor(resources: Resources) {
    const { hardwareConcurrency = 2 } = navigator;
    const gigabytes = (navigator as { deviceMemory?: number }).deviceMemory ?? 8;
    const count = workersOf(hardwareConcurrency, gigabytes);
    this.engines = Array.from({ length: count }, () => new Engine(resources));
  }

  stop(): void {
    this.engines.forEach((engine) => engine.stop());
  }
}
