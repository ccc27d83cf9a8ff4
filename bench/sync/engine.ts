/**
 * The engine of the client in a process that goes on running, wired as the command line wires it:
 * each line of its input names a home, one full push and pull of it follows, and a line of its
 * output tells what that took.
 */
import { createInterface } from "node:readline";
import { secondsSince } from "../measure/numbers.ts";
import { clientEnv } from "./programs.ts";
import { actAsClient, syncHome } from "./sync-home.ts";

actAsClient();

for await (const home of createInterface({ input: process.stdin })) {
  const cpuBefore = process.cpuUsage();
  const started = process.hrtime.bigint();
  await syncHome(clientEnv(home));
  const wallSeconds = secondsSince(started);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { maxRSS } = process.resourceUsage();
  const cost = { wallSeconds, cpuSeconds: (user + system) / 1e6, peakRssBytes: maxRSS * 1024 };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}
// A connection that is kept open must not hold up the end.
process.exit(0);
