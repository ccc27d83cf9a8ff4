import { fileMark } from "../platform/file-mark.ts";
import { onStop, writeErr } from "../platform/program.ts";
import type { Environment } from "../platform/paths.ts";
import { repairFiles } from "../platform/repair-files.ts";
import { systemTimers } from "../platform/timers.ts";
import { attempt } from "../store/store-error.ts";
import { pause } from "../sync/ports.ts";
import { startBackgroundSync } from "./background-sync.ts";
import { keepEmbedding } from "./keep-embedding.ts";
import { openDeviceHome, type Home } from "./home.ts";
import { keepTakingSpooled } from "./keep-taking.ts";
import { ageDaily } from "./lifecycle.ts";
import { openMemory, type Memory } from "./memory.ts";
import { untoldRepair } from "./repair-note.ts";
import { keepSummarising } from "./summaries.ts";
import { UserError } from "./user-error.ts";

/** How often the daemon looks whether its database is still the one in use, in milliseconds. */
const lookMs = 2_000;
/** How long it waits before it opens a database again that could not be opened, in milliseconds. */
const againMs = 60_000;
/** How often it looks whether a day has gone by since memory was aged, in milliseconds. */
const ageMs = 3_600_000;

/** Keeps this device in sync until it is told to stop. */
export async function runDaemon(env: Environment): Promise<void> {
  const home = openDeviceHome(env);
  const stop = new AbortController();
  onStop(() => {
    stop.abort();
  });
  let memory: Memory | undefined = openMemory(home);
  while (!stop.signal.aborted) {
    if (memory !== undefined) await syncWhileInPlace(home, memory, stop.signal);
    else await pause(systemTimers, againMs, stop.signal);
    if (!stop.signal.aborted) memory = reopened(home);
  }
}

/** Syncs until the signal aborts, or the database was replaced or needs a look (ST17). */
async function syncWhileInPlace(home: Home, memory: Memory, stop: AbortSignal): Promise<void> {
  for (const line of untoldRepair(memory, false)) writeErr(`tidemark: ${line}\n`);
  const { database } = home.paths;
  const mark = fileMark(database);
  const round = new AbortController();
  const signal = AbortSignal.any([stop, round.signal]);
  const isInPlace = (): boolean => fileMark(database) === mark;
  const stopLooking = systemTimers.every(lookMs, () => {
    if (!isInPlace() || repairFiles.suspicion(database) !== undefined) round.abort();
  });
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
  const stopTaking = keepTakingSpooled(memory, isInPlace);
  const age = (): void => {
    ageDaily(home, memory);
  };
  age();
  const stopAging = systemTimers.every(ageMs, age);
  const background = startBackgroundSync(home, memory, signal);
  const summaries = keepSummarising(home, memory, { signal, lives: "long" });
  const embeddings = keepEmbedding(home, memory, signal);
  await ended;
  stopLooking();
  stopTaking();
  stopAging();
  await Promise.all([background.ended, summaries, embeddings]);
  const checkpointed = attempt(() => {
    memory.store.upkeep.checkpoint();
  });
  if (!checkpointed.ok) home.log.warn("no-checkpoint", { kind: checkpointed.error.kind });
  memory.store.close();
}

function reopened(home: Home): Memory | undefined {
  try {
    return openMemory(home);
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    home.log.warn("database-not-opened", { kind: cause.code });
    return undefined;
  }
}
