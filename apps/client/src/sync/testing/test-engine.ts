import { SyncEngine, type EngineDeps } from "../engine.ts";
import type { VirtualTime } from "./virtual-time.ts";

/**
 * An engine in virtual time that says nothing. Its draws are half of everything, unless it says
 * otherwise: they are exact, so that tests can count milliseconds.
 */
export function createTestEngine(
  time: VirtualTime,
  given: Pick<EngineDeps, "store" | "transport"> & Partial<EngineDeps>,
): SyncEngine {
  return new SyncEngine({
    clock: time,
    timers: time,
    random: { bytes: (count) => new Uint8Array(count).fill(128, 0, 1) },
    log: { info: () => undefined, warn: () => undefined },
    serverId: "srv",
    ...given,
  });
}
