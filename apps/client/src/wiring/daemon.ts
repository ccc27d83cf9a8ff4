import { fileMark } from "../platform/file-mark.ts";
import { writeErr } from "../platform/program.ts";
import { onStop, signalsHeard } from "../platform/stop-signals.ts";
import type { Environment } from "../platform/paths.ts";
import { repairFiles } from "../platform/repair-files.ts";
import { systemTimers } from "../platform/timers.ts";
import { attempt } from "../store/store-error.ts";
import { pause } from "../sync/ports.ts";
import { startBackgroundSync } from "./background-sync.ts";
import { keepEmbedding } from "./keep-embedding.ts";
import { openDeviceHome, type Home } from "./home.ts";
import { keepTakingSpooled } from "./keep-taking-spooled.ts";
import { ageDaily } from "./lifecycle.ts";
import { openMemory, type Memory } from "./memory.ts";
import { untoldRepair } from "./repair-note.ts";
import { keepSummarising } from "./summaries.ts";
import { UserError } from "./user-error.ts";
import { whileFit } from "./while-fit.ts";

/** How long it waits before it opens a database again that could not be opened, in milliseconds. */
const againMs = 60_000;
/** How often it looks whether a day has gone by since memory was aged, in milliseconds. */
const ageMs = 3_600_000;

const outgrown = "store-newer-database";
const hint = "start `tidemark daemon` again, with the version that has changed the database";

/** Keeps this device in sync until it is told to stop. */
export async function runDaemon(env: Environment): Promise<void> {
  const home = openDeviceHome(env);
  const stop = new AbortController();
  onStop(() => {
    stop.abort();
  });
  const open = async (how: (home: Home) => Memory | undefined): Promise<Memory | undefined> => {
    // What asked it to end while it was busy would be lost by opening (CL73).
    await signalsHeard();
    return stop.signal.aborted ? undefined : how(home);
  };
  let memory = await open(openMemory);
  while (!stop.signal.aborted) {
    if (memory !== undefined) await syncWhileInPlace(home, memory, stop.signal);
    else await pause(systemTimers, againMs, stop.signal);
    memory = await open(reopened);
  }
}

/**
 * Syncs until the signal aborts, or the database was replaced or needs a look (ST17). Where sync has
 * failed for good there is nothing else to live for: what it failed of ends the daemon (EN31).
 */
async function syncWhileInPlace(home: Home, memory: Memory, stop: AbortSignal): Promise<void> {
  for (const line of untoldRepair(memory, false)) writeErr(`tidemark: ${line}\n`);
  const { database } = home.paths;
  const mark = fileMark(database);
  const isSound = (): boolean => repairFiles.suspicion(database) === undefined;
  const failed = new AbortController();
  const signal = whileFit(home, memory, AbortSignal.any([stop, failed.signal]), isSound);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
  const stopTaking = keepTakingSpooled(systemTimers, memory, () => fileMark(database) === mark);
  const age = (): void => {
    ageDaily(home, memory);
  };
  age();
  const stopAging = systemTimers.every(ageMs, age);
  const background = startBackgroundSync(home, memory, signal);
  const summaries = keepSummarising(home, memory, { signal, lives: "long" });
  const embeddings = keepEmbedding(home, memory, signal);
  void background.ended.finally(() => {
    failed.abort();
  });
  await ended;
  stopTaking();
  stopAging();
  const [cause] = await Promise.all([background.ended, summaries, embeddings]);
  const checkpointed = attempt(() => {
    memory.store.upkeep.checkpoint();
  });
  if (!checkpointed.ok) home.log.warn("no-checkpoint", { kind: checkpointed.error.kind });
  memory.store.close();
  if (cause !== undefined) throw cause;
}

/**
 * The database again, where it can be opened; else later. One that a newer version has changed ends
 * the daemon: what started it starts the program that is there now.
 */
function reopened(home: Home): Memory | undefined {
  try {
    return openMemory(home);
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    const { code, message } = cause;
    if (code === outgrown) throw new UserError({ code, message, hint });
    home.log.warn("database-not-opened", { kind: code });
    return undefined;
  }
}
