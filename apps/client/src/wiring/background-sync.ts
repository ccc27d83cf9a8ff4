import { watchFile } from "../platform/file-watch.ts";
import { readIdentity, type Identity } from "../platform/identity.ts";
import { systemTimers } from "../platform/timers.ts";
import type { SyncEngine } from "../sync/engine.ts";
import { pause } from "../sync/ports.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";
import type { Server } from "./server.ts";
import { noteSync } from "./sync-note.ts";
import { driveInTurns } from "./sync-turn.ts";
import { UserError } from "./user-error.ts";

/** A sync that runs beside something else. */
export interface BackgroundSync {
  /** Says that something was written. */
  readonly wake: () => void;
  /**
   * Resolves once the signal has aborted and every request has ended, or with what sync has failed of
   * for good; never rejects.
   */
  readonly ended: Promise<unknown>;
}

/** How often a device that is not paired is looked at again, in milliseconds. */
const pairedPollMs = 5_000;

/** How often it is looked whether the device was paired again, in milliseconds. */
const identityPollMs = 2_000;

/** How often a keychain that did not give the device's key is tried again, in milliseconds. */
const keyPollMs = 60_000;

/** Keeps a device in sync as long as the signal lets it, from the moment it is paired on. */
export function startBackgroundSync(
  home: Home,
  memory: Memory,
  signal: AbortSignal,
): BackgroundSync {
  let engine: SyncEngine | undefined;
  const run = async (): Promise<void> => {
    while (!signal.aborted) await syncAsPaired();
  };
  const syncAsPaired = async (): Promise<void> => {
    while (!signal.aborted && home.identity() === undefined) {
      await pause(systemTimers, pairedPollMs, signal);
    }
    if (signal.aborted) return;
    const server = await connected(home, memory, signal);
    if (server === undefined) return;
    const { identity, engine: createEngine } = server;
    memory.store.setIdentity(identity);
    // A run lasts for days, and `status` is asked meanwhile.
    const started = createEngine(memory.store, (failure) => {
      noteSync(memory, failure);
    });
    engine = started;
    // Hooks and commands write from processes of their own; each commit writes to the log first.
    const endWatch = watchFile(`${home.paths.database}-wal`, () => {
      started.wake();
    });
    const paired = whilePaired(home, identity, signal);
    await driveInTurns(home, (turn) => started.run(turn), paired).finally(endWatch);
  };
  const ended = run().catch((cause: unknown) => {
    // What is served goes on without sync; the log says why, without words that quote anything.
    home.log.error("background-sync-failed", {
      name: cause instanceof Error ? cause.name : "unknown",
    });
    // No later sync mends by itself what a person is told of, such as a key that is gone (EN31).
    if (cause instanceof UserError)
      noteSync(memory, { family: "auth", code: cause.code, title: cause.message });
    return cause;
  });
  return {
    wake: () => {
      engine?.wake();
    },
    ended,
  };
}

/**
 * Aborts with `stop`, and where this device was paired again (EN33): under the name and the key of
 * before it is nobody to its server any more, and what that says of it would be told of the new one.
 */
function whilePaired(
  { paths }: Home,
  { device, server }: Identity,
  stop: AbortSignal,
): AbortSignal {
  const changed = new AbortController();
  const signal = AbortSignal.any([stop, changed.signal]);
  const stopLooking = systemTimers.every(identityPollMs, () => {
    const now = readIdentity(paths.identity);
    if (!now.ok || now.value === undefined) return;
    const isSame = now.value.device.id === device.id && now.value.server.id === server.id;
    if (!isSame) changed.abort();
  });
  signal.addEventListener("abort", stopLooking, { once: true });
  return signal;
}

/** The server, once the keychain gives the key; undefined where the signal came first. */
async function connected(
  home: Home,
  memory: Memory,
  signal: AbortSignal,
): Promise<Server | undefined> {
  const { connectServer } = await import("./server.ts");
  while (!signal.aborted) {
    try {
      return await connectServer(home, { isBackground: true });
    } catch (cause) {
      if (!(cause instanceof UserError) || cause.code !== "keychain") throw cause;
      // It may be unlocked later: this began before its user had signed in, perhaps.
      home.log.warn("keychain-gives-no-key");
      noteSync(memory, { family: "retry", code: cause.code, title: cause.message });
      await pause(systemTimers, keyPollMs, signal);
    }
  }
  return undefined;
}
