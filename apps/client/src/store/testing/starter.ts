import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { systemClock } from "../../platform/clock.ts";
import { openStoreDatabase } from "../open-database.ts";
import { testOptions } from "./test-store.ts";

/*
 * A process that opens databases at given instants: one line `PATH EPOCH_MS` each on standard input,
 * one line `opened`, or what went wrong, for each on standard output. Argument: native part of SQLite.
 */

const [nativeBinding = ""] = process.argv.slice(2);

createInterface({ input: process.stdin }).on("line", (line) => {
  const [path = "", atMs = "0"] = line.split(" ");
  while (systemClock.nowMs() < Number(atMs));
  writeSync(1, `${open(path)}\n`);
});

function open(path: string): string {
  try {
    openStoreDatabase({ ...testOptions(), path, nativeBinding, busyTimeoutMs: 30_000 }).close();
    return "opened";
  } catch (error) {
    return String(error);
  }
}
