import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimServer } from "../http/testing/client.ts";
import { createHarness } from "../http/testing/harness.ts";
import { systemRandom } from "../platform/random.ts";
import { emptyAccounts, type AccountState } from "../store/memory/account-state.ts";
import { copyAccounts } from "../store/memory/copy-accounts.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { keepAuditWitness, noteAuditEveryMs } from "./audit-witness.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tidemark-witness-"));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

/** A server with an owner, on what a database held. */
async function start(held: AccountState) {
  const store = createMemoryStore({ clock: { nowMs: () => 1_000 }, accounts: held });
  const harness = createHarness({ store });
  const end = await keepAuditWitness(
    {
      clock: harness.clock,
      random: systemRandom,
      timers: { ...harness.deps.timers, sleep: () => new Promise(() => undefined) },
      log: harness.deps.log,
      accounts: store.accounts,
    },
    dataDir,
  );
  return { harness, end };
}

const file = async (): Promise<string> => await readFile(join(dataDir, "audit-end"), "utf8");
const told = ({ audit }: AccountState): readonly string[] =>
  audit.filter(({ event }) => event === "audit-set-back").map(({ details }) => details);

test("[AD8] a database that was put back from yesterday explains its audit (abuse 187)", async () => {
  const database = emptyAccounts();
  const first = await start(database);
  await expect(file()).rejects.toThrow("ENOENT");
  const owner = await claimServer(first.harness);
  const yesterday = copyAccounts(database);
  await owner.createNamespace("since then");
  await first.end();
  const known = database.audit.at(-1);
  expect(await file()).toBe(`${known?.seq} ${known?.hash}\n`);

  const goesOn = await start(database);
  await goesOn.end();
  expect(told(database)).toEqual([]);

  const restored = await start(yesterday);
  expect(told(yesterday)).toEqual([`{"row":"missing","seq":${known?.seq}}`]);
  expect(restored.harness.log).toContain(`audit-set-back {"seq":${known?.seq},"row":"missing"}`);
  // The chain holds over it, and what is told once is not told at the next start.
  const { accounts } = restored.harness.store;
  expect((await accounts.verifyAudit()).brokenAt).toBeUndefined();
  await restored.end();
  await (await start(yesterday)).end();
  expect(told(yesterday)).toHaveLength(1);
});

test("[AD8] an audit that was written anew differs at the row that was written down", async () => {
  const database = emptyAccounts();
  const first = await start(database);
  await claimServer(first.harness);
  await first.end();
  const forged = emptyAccounts();
  const accounts = createMemoryStore({ clock: { nowMs: () => 1_000 }, accounts: forged });
  await claimServer(createHarness({ store: accounts }), "mallory");
  expect(forged.audit).toHaveLength(database.audit.length);
  await start(forged);
  expect(told(forged)).toEqual([`{"row":"other","seq":${database.audit.length}}`]);
});

/** A server whose database can be put back to a snapshot while it runs. */
async function startReplaceable(database: AccountState) {
  const storeOf = (accounts: AccountState) =>
    createMemoryStore({ clock: { nowMs: () => 1_000 }, accounts });
  const harness = createHarness({ store: storeOf(database) });
  const owner = await claimServer(harness);
  const snapshot = copyAccounts(database);
  await owner.createNamespace("since then");
  let { accounts } = storeOf(database);
  const end = await keepAuditWitness(
    {
      clock: harness.clock,
      random: systemRandom,
      timers: { ...harness.deps.timers, sleep: () => new Promise(() => undefined) },
      log: harness.deps.log,
      accounts: {
        auditEnd: () => accounts.auditEnd(),
        compareAudit: (known, nowMs) => accounts.compareAudit(known, nowMs),
      },
    },
    dataDir,
  );
  const putBack = (): void => {
    ({ accounts } = storeOf(snapshot));
  };
  return { harness, end, snapshot, putBack };
}

test("[AD8] a database that is put back under a server that runs explains its audit within a minute", async () => {
  const { harness, end, snapshot, putBack } = await startReplaceable(emptyAccounts());
  putBack();
  harness.tick(noteAuditEveryMs);
  await expect.poll(() => told(snapshot)).toEqual([expect.stringContaining('"row":"missing"')]);
  await expect.poll(file).toBe(`${snapshot.audit.length} ${snapshot.audit.at(-1)?.hash}\n`);
  await end();
  expect(told(snapshot)).toHaveLength(1);
});

test("[AD8] a database that is put back is told once, though the file cannot be written", async () => {
  const { harness, end, snapshot, putBack } = await startReplaceable(emptyAccounts());
  await rm(dataDir, { recursive: true });
  await writeFile(dataDir, "no folder");
  putBack();
  const warnings = (): number =>
    harness.log.filter((line) => line.startsWith("audit-end-not-written")).length;
  for (const count of [1, 2, 3]) {
    harness.tick(noteAuditEveryMs);
    await expect.poll(warnings).toBe(count);
  }
  expect(told(snapshot)).toHaveLength(1);
  await rm(dataDir);
  await mkdir(dataDir);
  await end();
  expect(await file()).toBe(`${snapshot.audit.length} ${snapshot.audit.at(-1)?.hash}\n`);
  expect(told(snapshot)).toHaveLength(1);
});

test("[AD8] the end is written down each minute, and a damaged file stops nothing", async () => {
  const database = emptyAccounts();
  await writeFile(join(dataDir, "audit-end"), "no row\n");
  const { harness } = await start(database);
  await claimServer(harness);
  expect(await file()).toBe("no row\n");
  harness.tick(noteAuditEveryMs);
  await expect.poll(file).toBe(`${database.audit.length} ${database.audit.at(-1)?.hash}\n`);
});

test("[AD8] a data directory that cannot be written is a warning, and the server goes on", async () => {
  const database = emptyAccounts();
  const { harness, end } = await start(database);
  await claimServer(harness);
  await rm(dataDir, { recursive: true });
  await writeFile(dataDir, "no folder");
  await end();
  expect(harness.log.join("\n")).toContain("audit-end-not-written");
});
