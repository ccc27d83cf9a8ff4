/**
 * `engine.ts sync JSON`: one full push and pull by the engine of the client, wired as the command
 * line wires it, and what it took without the start of a program.
 */
import { fileURLToPath } from "node:url";
import { closeUmask, environment } from "../../../apps/client/src/platform/program.ts";
import { openDeviceHome } from "../../../apps/client/src/wiring/home.ts";
import { openMemory } from "../../../apps/client/src/wiring/memory.ts";
import { connectServer } from "../../../apps/client/src/wiring/server.ts";
import { createSyncRunner } from "../../../apps/client/src/wiring/sync-runner.ts";
import { measured, runVerbs } from "../client-verbs.mjs";

const turnMsMax = 30_000;

// The client looks for SQLite beside the program that runs; beside this one lies the peers' older.
process.argv[1] = fileURLToPath(new URL("../../../apps/client/dist/main.js", import.meta.url));
closeUmask();

await runVerbs({
  sync: async () =>
    await measured(async () => {
      const home = openDeviceHome(environment());
      const memory = openMemory(home);
      const runner = createSyncRunner(home, memory, connectServer(home));
      const { signal } = new AbortController();
      const outcome = await runner.run({ signal, waitMs: turnMsMax });
      memory.store.close();
      if (outcome.kind !== "ended" || !outcome.sync.isDone) {
        throw new Error(`the sync did not end: ${JSON.stringify(outcome)}`);
      }
    }),
});
