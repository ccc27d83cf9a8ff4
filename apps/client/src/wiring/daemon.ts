import { onStop } from "../platform/program.ts";
import type { Environment } from "../platform/paths.ts";
import { startBackgroundSync } from "./background-sync.ts";
import { openDeviceHome } from "./home.ts";
import { openMemory } from "./memory.ts";

/** Keeps this device in sync until it is told to stop. */
export async function runDaemon(env: Environment): Promise<void> {
  const home = openDeviceHome(env);
  const memory = openMemory(home);
  const stop = new AbortController();
  onStop(() => {
    stop.abort();
  });
  const ended = new Promise<void>((resolve) => {
    stop.signal.addEventListener("abort", () => {
      resolve();
    });
  });
  const background = startBackgroundSync(home, memory, stop.signal);
  await ended;
  await background.ended;
  memory.store.upkeep.checkpoint();
  memory.store.close();
}
