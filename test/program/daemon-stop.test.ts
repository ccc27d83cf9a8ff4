import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("[EN31] a daemon that cannot begin to sync, such as one without its key, ends and says why", async () => {
  const two = devices.device("two");
  mkdirSync(two.home, { mode: 0o700 });
  const identity = {
    user: { id: "usr_anhs3lkgbbc4jsrjumllqtvk60", name: "ada" },
    device: { id: "dev_114h52tk700uqhmmr731ekvqfk", name: "two" },
    server: { id: "srv_rs0j5qd0jg1ckfpgkd8qglfb50", url: "http://127.0.0.1:1" },
    pairedAtMs: 1,
  };
  writeFileSync(join(two.home, "device.json"), JSON.stringify(identity), { mode: 0o600 });
  const { code, stdout, stderr } = await two.run(["daemon"]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^error: the device's key \S+ is missing\nhint: /u);
  const { lastFailure } = await two.json<{ lastFailure: { message: string } | null }>("status");
  expect(lastFailure?.message).toContain("is missing");
});
