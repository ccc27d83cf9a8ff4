import { closeUmask } from "../../apps/client/src/platform/program.ts";
import { openDeviceHome } from "../../apps/client/src/wiring/home.ts";
import { openMemory } from "../../apps/client/src/wiring/memory.ts";
import { connectServer } from "../../apps/client/src/wiring/server.ts";
import { createSyncRunner } from "../../apps/client/src/wiring/sync-runner.ts";
import { clientProgram } from "./programs.ts";

const turnMsMax = 30_000;

/** Lets this process take the part of the client's program; before anything else. */
export function actAsClient(): void {
  // The client looks for SQLite beside the program that runs; beside another may lie an older one.
  process.argv[1] = clientProgram;
  closeUmask();
}

/** One full push and pull of a home, wired as the command line wires it; throws where it does not end. */
export async function syncHome(env: NodeJS.ProcessEnv): Promise<void> {
  const home = openDeviceHome(env);
  const memory = openMemory(home);
  const runner = createSyncRunner(home, memory, await connectServer(home));
  const { signal } = new AbortController();
  const outcome = await runner.run({ signal, waitMs: turnMsMax });
  memory.store.close();
  if (outcome.kind !== "ended" || !outcome.sync.isDone) {
    throw new Error(`the sync did not end: ${JSON.stringify(outcome)}`);
  }
}
