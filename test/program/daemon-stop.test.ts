import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const folder = mkdtempSync(join(tmpdir(), "tidemark-stop-"));
afterAll(() => {
  devices.clear();
  rmSync(folder, { recursive: true });
});

/** Asks the program to end as soon as the daemon listens for that: the command line did so before it. */
const asksAtOnce = `let asked = 0;
  const { once } = process;
  process.once = function (name, ...rest) {
    once.call(this, name, ...rest);
    if (name === "SIGHUP" && (asked += 1) === 2) process.kill(process.pid, "SIGTERM");
    return this;
  };
  // One that has not heard leaves nothing behind.
  setTimeout(() => process.exit(9), 120_000).unref();`;

test("[CL73] a daemon that is asked to end just before it opens the database ends", async () => {
  const preload = join(folder, "asks-at-once.cjs");
  writeFileSync(preload, asksAtOnce);
  const one = devices.device("one", { NODE_OPTIONS: `--require ${preload}` });
  expect(await one.run(["daemon"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(existsSync(join(one.home, "tidemark.db"))).toBe(false);
});
