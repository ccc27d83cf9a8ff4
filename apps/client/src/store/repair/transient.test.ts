import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { unpairedNamespace } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repairFiles } from "../../platform/repair-files.ts";
import { memoryFolder, openRepaired, save, soundParts } from "../testing/damage.ts";
import { seededRandom, testOptions, testStore } from "../testing/test-store.ts";
import { openSound } from "./open-sound.ts";
import type { RepairFiles } from "./repair-files.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = memoryFolder();
  path = join(folder, "tidemark.db");
  const store = testStore({ path, random: seededRandom("a") });
  for (let n = 0; n < 9; n += 1) save(store, unpairedNamespace, `record${n}`, { title: `${n}` });
  store.close();
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function open(files: Partial<RepairFiles> = {}, busyTimeoutMs = 20) {
  const parts = { ...soundParts(), files: { ...repairFiles, ...files } };
  return openSound({ ...testOptions("b"), path, busyTimeoutMs }, parts);
}

const asides = (): readonly string[] => readdirSync(folder).filter((name) => /damaged/.test(name));

/** Holds that nothing was moved, and that the database is what it was once the trouble is over. */
function expectUntouched(): void {
  expect(asides()).toEqual([]);
  const { store, repair } = openRepaired(path);
  expect([repair, store.reads.list({}).length]).toEqual([undefined, 9]);
  store.close();
}

function ruin(): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, 0, 4096));
}

test("[ST16] a database in good health is never moved, however often it is opened and checked", () => {
  for (let round = 0; round < 20; round += 1) {
    const { store, repair } = openRepaired(path);
    expect(repair).toBeUndefined();
    save(store, unpairedNamespace, `round${round}`, { title: "more" });
    store.close();
  }
  expect(asides()).toEqual([]);
});

test("[ST16] a locked database is busy, and no damage", () => {
  const other = new Sqlite(path);
  other.pragma("locking_mode = EXCLUSIVE");
  other.exec("BEGIN EXCLUSIVE");
  expect(open()).toMatchObject({ ok: false, error: { kind: "busy" } });
  other.exec("ROLLBACK");
  other.close();
  expectUntouched();
});

test("[ST16] a check that is due waits while another process writes, and a reader does not", () => {
  const start = () => openSound({ ...testOptions("b"), path }, soundParts("when-due"));
  const other = new Sqlite(path);
  other.exec("BEGIN IMMEDIATE");
  const opened = start();
  expect(opened).toMatchObject({ ok: true });
  if (!opened.ok) return;
  expect(opened.value.store.reads.list({})).toHaveLength(9);
  opened.value.store.close();
  expect(repairFiles.wasChecked(path)).toBe(false);
  other.exec("ROLLBACK");
  other.close();
  expect(start()).toMatchObject({ ok: true });
  expect(repairFiles.wasChecked(path)).toBe(true);
});

test("[MC11] who wants to wait for no check that is due has the store at once", () => {
  const opened = openSound({ ...testOptions("b"), path }, soundParts("when-noted"));
  expect(opened).toMatchObject({ ok: true });
  if (opened.ok) opened.value.store.close();
  expect(repairFiles.wasChecked(path)).toBe(false);
});

test("[TM7] a check that a day is over for is told before it begins, and no other", () => {
  const told: boolean[] = [];
  const onDueCheck = () => void told.push(repairFiles.wasChecked(path));
  const start = (look: "always" | "when-due") => {
    const opened = openSound({ ...testOptions("b"), path }, { ...soundParts(look), onDueCheck });
    if (opened.ok) opened.value.store.close();
  };
  start("when-due");
  expect(told).toEqual([false]);
  expect(repairFiles.wasChecked(path)).toBe(true);
  start("when-due");
  start("always");
  expect(told).toEqual([false]);
});

test.each(["asked for", "called for by a suspicion"])(
  "[ST16] a check that is %s is left out for no write of another process",
  (why) => {
    const isAsked = why === "asked for";
    const parts = soundParts(isAsked ? "always" : "when-due");
    const suspicion: RepairFiles["suspicion"] = () => (isAsked ? undefined : "damaged");
    const other = new Sqlite(path);
    other.exec("BEGIN IMMEDIATE");
    const options = { ...testOptions("b"), path, busyTimeoutMs: 20 };
    const opened = openSound(options, { ...parts, files: { ...repairFiles, suspicion } });
    expect(opened).toMatchObject({ ok: false, error: { kind: "busy" } });
    other.exec("ROLLBACK");
    other.close();
    expectUntouched();
  },
);

test("[ST16] a database of a newer program is no damage", () => {
  const raw = new Sqlite(path);
  const version = Number(raw.pragma("user_version", { simple: true }));
  raw.pragma("user_version = 99");
  expect(open()).toMatchObject({ ok: false, error: { kind: "newer-database" } });
  raw.pragma(`user_version = ${version}`);
  raw.close();
  expectUntouched();
});

test.each([
  ["EIO", "io"],
  ["EACCES", "read-only"],
])("[ST16] a disk that answers %s is no damage", (code, kind) => {
  const source = (): never => {
    throw Object.assign(new Error("the disk says no"), { code });
  };
  expect(open({ source })).toMatchObject({ ok: false, error: { kind } });
  expectUntouched();
});

test("[ST16] a file without rights is no damage", () => {
  chmodSync(path, 0o000);
  const opened = open();
  chmodSync(path, 0o600);
  // Root may read and write whatever the mode says.
  if (opened.ok) opened.value.store.close();
  else expect(["cannot-open", "read-only"]).toContain(opened.error.kind);
  expectUntouched();
});

test("[ST16] damage that is gone at the second look, under the lock, was none", () => {
  let looks = 0;
  const isEmptied = (): boolean => {
    looks += 1;
    return looks === 1;
  };
  const opened = open({ isEmptied });
  expect(opened).toMatchObject({ ok: true, value: {} });
  if (opened.ok) opened.value.store.close();
  expect(looks).toBeGreaterThan(1);
  expectUntouched();
});

test.each(["beginMending", "swap"] as const)(
  "[ST14] a disk that is full at %s leaves everything as it was, and the next open repairs",
  (step) => {
    ruin();
    const before = readFileSync(path);
    const full = (): never => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    };
    expect(open({ [step]: full })).toMatchObject({ ok: false, error: { kind: "full" } });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => /mend|damaged/.test(name))).toEqual([]);
    const { store, repair } = openRepaired(path);
    expect([repair?.saved.changes, store.reads.list({}).length]).toEqual([9, 9]);
    store.close();
  },
);

const aside = (): string => `${path}.damaged-before`;
const cuts: readonly (readonly [string, () => void])[] = [
  ["before anything was moved", () => {}],
  ["while it built the new database", () => copyFileSync(path, `${path}.mended`)],
  ["after the second name", () => linkSync(path, aside())],
  [
    "after the log was moved",
    () => {
      linkSync(path, aside());
      renameSync(`${path}-wal`, `${aside()}-wal`);
    },
  ],
  ["between two names, where there are no links", () => renameSync(path, aside())],
  [
    "between two names, with the log moved",
    () => {
      renameSync(path, aside());
      renameSync(`${path}-wal`, `${aside()}-wal`);
    },
  ],
];

test.each(cuts)("[ST14] a repair that was cut off %s is taken back and done again", (_, cut) => {
  const store = testStore({ path, random: seededRandom("log") });
  save(store, unpairedNamespace, "inlog", { title: "in the log" });
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, join(folder, `copy${end}`));
  store.close();
  for (const end of ["", "-wal"]) renameSync(join(folder, `copy${end}`), `${path}${end}`);
  ruin();
  repairFiles.beginMending(path, aside());
  cut();
  const { store: mended } = openRepaired(path);
  expect(mended.reads.list({}).length).toBe(10);
  mended.close();
  expect(existsSync(`${path}.mending`)).toBe(false);
});

test("[ST14] a repair that was cut off at its very end is done", () => {
  ruin();
  const first = openRepaired(path);
  first.store.close();
  repairFiles.beginMending(path, first.repair?.aside ?? "");
  const { store, repair } = openRepaired(path);
  expect([repair, store.reads.list({}).length]).toEqual([undefined, 9]);
  store.close();
});
