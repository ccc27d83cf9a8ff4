/**
 * The engine of the client in a process that goes on running, wired as the command line wires it:
 * each line of its input names a home, one full push and pull of it follows, and a line of its
 * output tells what that took.
 */
import { createInterface } from "node:readline";
import { closeUmask } from "../../apps/client/src/platform/program.ts";
import { openDeviceHome } from "../../apps/client/src/wiring/home.ts";
import { openMemory } from "../../apps/client/src/wiring/memory.ts";
import { connectServer } from "../../apps/client/src/wiring/server.ts";
import { createSyncRunner } from "../../apps/client/src/wiring/sync-runner.ts";
import { secondsSince } from "../measure/numbers.ts";
import { clientEnv, clientProgram } from "./programs.ts";

const turnMsMax = 30_000;

// The client looks for SQLite beside the program that runs.
process.argv[1] = clientProgram;
closeUmask();

for await (const home of createInterface({ input: process.stdin })) {
  const cpuBefore = process.cpuUsage();
  const started = process.hrtime.bigint();
  await syncHome(home);
  const wallSeconds = secondsSince(started);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { maxRSS } = process.resourceUsage();
  const cost = { wallSeconds, cpuSeconds: (user + system) / 1e6, peakRssBytes: maxRSS * 1024 };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}
// A connection that is kept open must not hold up the end.
process.exit(0);

async function syncHome(folder: string): Promise<void> {
  const home = openDeviceHome(clientEnv(folder));
  const memory = openMemory(home);
  const runner = createSyncRunner(home, memory, connectServer(home));
  const { signal } = new AbortController();
  const outcome = await runner.run({ signal, waitMs: turnMsMax });
  memory.store.close();
  if (outcome.kind !== "ended" || !outcome.sync.isDone) {
    throw new Error(`the sync did not end: ${JSON.stringify(outcome)}`);
  }
}
