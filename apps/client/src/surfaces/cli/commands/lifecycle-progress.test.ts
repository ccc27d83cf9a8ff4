import { expect, onTestFinished, test } from "vitest";
import { make, put, world } from "../../../store/testing/world.ts";
import type { CliDeps } from "../deps.ts";
import { clearLine } from "../progress.ts";
import { runCli } from "../run-cli.ts";
import { createToldIo } from "../testing/told-io.ts";

test("[TM6] a dry run of lifecycle tells in a terminal how far it is, and takes the line away", async () => {
  const { a: store } = world();
  onTestFinished(() => {
    store.close();
  });
  make(store, ...[1, 2, 3].map((n) => put(`record${n}`, { title: `Note ${n}` })));
  const { io, told } = createToldIo();
  let nowMs = 1_700_000_000_000;
  const deps = {
    io: { ...io, isErrTty: true, width: 120 },
    // Each look at the clock finds that much time has gone by.
    clock: { nowMs: () => (nowMs += 1_000) },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store, sha256: () => new Uint8Array(32), clock: { nowMs: () => nowMs } }),
    home: () => ({ identity: () => undefined, config: { compactDays: 90 } }),
  } as unknown as CliDeps;
  expect(await runCli(deps, ["lifecycle", "--dry-run"])).toBe(0);
  expect(told.err).toContain("looking for what is old: 1 of 3 observations");
  expect(told.err).toContain("looking for what is old: 3 of 3 observations");
  expect(told.err.endsWith(clearLine)).toBe(true);
  expect(told.out).toBe("nothing has come of age\n");
});
