import { spawnSync } from "node:child_process";
import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../apps/client/src/store/sqlite.ts";
import { createChaosDevice, type ChaosDevice } from "./device-process.ts";
import { createFleet, type Fleet, type FleetDevice } from "./fleet.ts";
import { mountSmallDisk, type SmallDisk } from "./mounted-disk.ts";
import { brokenPromises, nothingAcknowledged, type Acknowledged } from "./oracle.ts";

let fleet: Fleet;
let disk: SmallDisk | undefined;
/** All devices are one person's, so what one test acknowledges must outlive the others too. */
const asked: Acknowledged = nothingAcknowledged();
let a: FleetDevice;
let b: FleetDevice;

beforeAll(async () => {
  disk = mountSmallDisk(2_560);
  const homes = disk === undefined ? {} : { small: join(disk.folder, "home") };
  fleet = await createFleet(["a", "b", "cloned", "old", "damaged", "small"], homes);
  await fleet.pairAll();
  a = fleet.device("a");
  b = fleet.device("b");
});

afterAll(async () => {
  await fleet.clear();
  disk?.unmount();
});

async function save(on: ChaosDevice, title: string, narrative = ""): Promise<string> {
  asked.invoked.add(title);
  if (narrative !== "") asked.editing.set(title, new Set([narrative]));
  const args = ["save", "--title", title, "--narrative", narrative];
  const { id } = await on.json<{ readonly id: string }>(...args);
  asked.saved.add(title);
  return id;
}

async function edit(on: ChaosDevice, { id, title }: { id: string; title: string }, story: string) {
  for (const stories of [asked.editing, asked.edited]) {
    stories.set(title, new Set([...(stories.get(title) ?? []), story]));
  }
  await on.json("edit", id, "--set", `narrative=${story}`);
}

async function forget(on: ChaosDevice, { id, title }: { id: string; title: string }) {
  asked.forgetting.add(title);
  await on.json("forget", id, "--yes");
  asked.forgotten.add(title);
}

async function sync(...devices: readonly ChaosDevice[]): Promise<void> {
  for (const device of devices) await device.json("sync");
}

async function titles(on: ChaosDevice): Promise<readonly string[]> {
  const { items } = await on.json<{ readonly items: readonly { readonly title: string }[] }>(
    "list",
    "--all",
  );
  return items.map(({ title }) => title);
}

/** Copies a folder with modes and owners. */
function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(`cp: ${stderr}`);
}

test("[CX2] the oracle tells what is lost, strange, back from the forgotten, or not synced", async () => {
  await save(a, "plain");
  const wrong = nothingAcknowledged();
  wrong.invoked.add("plain").add("never came");
  wrong.saved.add("plain").add("never came");
  wrong.forgotten.add("plain");
  expect(await brokenPromises([a, b], wrong)).toEqual([
    "a: lost: never came",
    "a: back from the forgotten: plain",
  ]);
  wrong.invoked.delete("plain");
  await save(a, "only here");
  await b.proxy.set({ kind: "refuse" });
  const broken = (await brokenPromises([a, b], wrong, 1)).join("\n");
  await b.proxy.set({ kind: "pass" });
  expect(broken).toMatch(/^b: sync 1 ends with 1: .*unreachable/m);
  expect(broken).toContain("a: unexpected: only here, plain");
  expect(broken).toContain("a and b hold different observations");
});

test("[CX8] a home is copied and both go on: both keep all they acknowledge (abuse 178)", async () => {
  const original = fleet.device("cloned");
  const title = "edited by both";
  const id = await save(original, title);
  await sync(original);
  const home = join(fleet.root, "copied-home");
  copyFolder(original.home, home);
  const copy = createChaosDevice({ root: fleet.root, name: "copy", home });
  for (let round = 1; round <= 3; round += 1) {
    await save(original, `by the original ${round}`);
    await edit(original, { id, title }, `original's story ${round}`);
    await save(copy, `by the copy ${round}`);
    await edit(copy, { id, title }, `copy's story ${round}`);
    // The first round sends both from one position; whoever comes second finds out.
    await sync(...(round === 2 ? [copy, original] : [original, copy]));
  }
  await sync(original, copy);
  expect(await brokenPromises([original, copy, b], asked)).toEqual([]);
  await copy.close();
});

test("[CX9] a home is put back from an older copy: nothing that reached the server is lost", async () => {
  const old = fleet.device("old");
  await save(old, "before the copy");
  await sync(old);
  const waiting = await save(old, "waiting in the copy");
  const copy = join(fleet.root, "older-home");
  copyFolder(old.home, copy);
  await save(old, "after the copy");
  await edit(old, { id: waiting, title: "waiting in the copy" }, "edited after the copy");
  await sync(old, b);
  rmSync(old.home, { recursive: true });
  renameSync(copy, old.home);
  await save(old, "in the home put back");
  expect(await brokenPromises([old, b], asked)).toEqual([]);
});

const header = 100;
const page = 4_096;

/** Overwrites a part of a file with zeros. */
function zero(path: string, at: number, bytes: number): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, Buffer.alloc(bytes), 0, bytes, at);
  } finally {
    closeSync(file);
  }
}

/** The first page of a table's tree. */
function rootOf(path: string, table: string): number {
  const db = openDatabase({ path, busyTimeoutMs: 1_000 });
  try {
    const sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    return db.get<{ rootpage: number }>(sql, table)?.rootpage ?? 0;
  } finally {
    db.close();
  }
}

/** Saves as a person would: what fails on a damaged database says what to run, and is tried again. */
async function saveAsTold(on: ChaosDevice, title: string): Promise<void> {
  const { code, stderr } = await on.run(["save", "--title", `${title}, at once`, "--json"]);
  asked.invoked.add(`${title}, at once`);
  if (code === 0) asked.saved.add(`${title}, at once`);
  else expect(JSON.parse(stderr)).toMatchObject({ error: { code: "store-corrupt" } });
  // Looks at everything, so that damage is found that no command has met yet.
  await on.json("doctor");
  await save(on, title);
}

const damages: readonly (readonly [string, (path: string) => void])[] = [
  [
    "header of zeros",
    (path) => {
      zero(path, 0, header);
    },
  ],
  [
    "page of zeros",
    (path) => {
      zero(path, (rootOf(path, "records") - 1) * page, page);
    },
  ],
  [
    "half of its file",
    (path) => {
      truncateSync(path, Math.floor(statSync(path).size / page / 2) * page);
    },
  ],
];

test.each(damages)(
  "[CX10] a database with a %s is repaired, told, and filled again",
  async (how, damage) => {
    const device = fleet.device("damaged");
    for (let n = 1; n <= 8; n += 1)
      await save(device, `sent before ${how} ${n}`, "s".repeat(3_000));
    await sync(device, b);
    const unsent = [1, 2, 3].map((n) => `waiting before ${how} ${n}`);
    for (const title of unsent) {
      asked.invoked.add(title);
      await device.json("save", "--title", title);
    }
    const path = join(device.home, "tidemark.db");
    damage(path);
    await saveAsTold(device, `saved after ${how}`);
    const { repair } = await device.json<{
      readonly repair: {
        readonly missing: { readonly changes: { readonly count: number } };
      } | null;
    }>("status");
    expect(repair).not.toBeNull();
    expect(
      readdirSync(device.home).filter((name) => name.startsWith("tidemark.db.damaged-")),
    ).not.toEqual([]);
    const held = new Set(await titles(device));
    const kept = unsent.filter((title) => held.has(title));
    for (const title of kept) asked.saved.add(title);
    // What only the damaged page held is gone with it, and said to be.
    expect(kept.length + (repair?.missing.changes.count ?? 0)).toBeGreaterThanOrEqual(
      unsent.length,
    );
    if (how.startsWith("header")) expect(kept).toEqual(unsent);
    expect(await brokenPromises([device, b], asked)).toEqual([]);
  },
);

test.skipIf(disk === undefined && process.getuid?.() !== 0)(
  "[CX5] a full disk stops a pull where it is, and the next one goes on",
  async ({ skip }) => {
    if (disk === undefined) skip("no disk can be mounted without root");
    const small = fleet.device("small");
    await save(small, "made while there was room");
    await sync(small);
    for (let n = 1; n <= 12; n += 1) await save(a, `large ${n}`, `${n}`.padEnd(14_000, "large "));
    await sync(a);
    disk?.fill();
    expect(await small.failure("sync")).toBe("store-full");
    disk?.free();
    expect(await brokenPromises([small, a], asked)).toEqual([]);
  },
);

test("[CX7] the server is put back from an older copy of its data: its devices give back what it lost (abuse 187)", async () => {
  const early = "forgotten before the copy";
  const late = "forgotten after the copy";
  const [first, second] = [await save(a, early), await save(a, late)];
  const title = "edited around the copy";
  const id = await save(a, title);
  // A server learns who is behind a writer from its pushes alone: who first wrote afterwards would
  // be nobody's.
  await save(b, "sent before the copy");
  await sync(a, b);
  await forget(a, { id: first, title: early });
  await edit(a, { id, title }, "story before the copy");
  await sync(a, b);
  const { server } = fleet;
  expect((await server.stop()).code).toBe(0);
  const copy = join(fleet.root, "older-data");
  copyFolder(server.dataDir, copy);
  await server.start();
  await save(a, "sent to the server that is lost");
  await save(b, "sent there as well");
  await forget(b, { id: second, title: late });
  await edit(a, { id, title }, "story after the copy");
  await sync(a, b, a);
  await save(a, "not sent yet");
  await server.stop();
  rmSync(server.dataDir, { recursive: true });
  copyFolder(copy, server.dataDir);
  await server.start();
  // A device that had never seen what was lost writes first, so that heads meet again.
  for (let n = 1; n <= 5; n += 1) await save(fleet.device("old"), `first after the loss ${n}`);
  await sync(fleet.device("old"));
  expect(await brokenPromises([a, b, fleet.device("old")], asked)).toEqual([]);
});
