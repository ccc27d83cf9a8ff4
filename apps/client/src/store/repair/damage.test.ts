import { readFileSync, statSync, writeFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordId } from "@tidemark/protocol";
import { repairFiles } from "../../platform/repair-files.ts";
import { pair, settle } from "../testing/exchange.ts";
import {
  damagedCopy,
  lookInto,
  namespace,
  openRepaired,
  usedDatabase,
  type KnownOp,
  type UsedDatabase,
} from "../testing/damage.ts";
import { scrubbed } from "../testing/test-store.ts";

const pageSize = 4096;
let used: UsedDatabase;

beforeAll(() => {
  used = usedDatabase();
});

afterAll(() => {
  used.remove();
});

/** Damages a copy, opens it, and holds what must hold whatever was damaged. */
function survive(damage: (bytes: Buffer) => Buffer, isLost: (op: KnownOp) => boolean): void {
  used.server.restore(used.serverBackup);
  const before = new Set(used.server.states().map(({ id }) => id));
  const path = damagedCopy(used, damage);
  const { store, repair } = openRepaired(path);
  store.close();
  const { ops: held } = lookInto(path);
  const names = new Set(held.map(({ name }) => name));
  const readable = used.ops.filter((op) => !isLost(op));
  expect(readable.filter(({ name }) => !names.has(name))).toEqual([]);
  if (repair === undefined) {
    expect(held.length).toBe(used.ops.length);
  } else {
    expect(held.length).toBe(repair.saved.changes);
    const { count, isExact } = repair.missing.changes;
    const told = repair.saved.changes + count;
    if (isExact) expect(told).toBe(used.ops.length);
    else expect(told).toBeLessThanOrEqual(used.ops.length);
    if (held.length < used.ops.length) expect(isExact && count === 0).toBe(false);
    expect(statSync(repair.aside ?? "").mode & 0o777).toBe(0o600);
  }
  const again = openRepaired(path);
  expect(again.repair).toBeUndefined();
  works(again.store, names, before);
  again.store.close();
  const raw = new Sqlite(path);
  expect(raw.pragma("integrity_check", { simple: true })).toBe("ok");
  raw.close();
}

function works(
  store: ReturnType<typeof openRepaired>["store"],
  names: ReadonlySet<string>,
  before: ReadonlySet<string>,
): void {
  pair(store, used.server);
  settle(store, used.server, 50);
  const after = new Set(used.server.states().map(({ id }) => id));
  expect([...before].filter((id) => !after.has(id as RecordId))).toEqual([]);
  const sent = [...names]
    .filter((name) => name.startsWith("put unsent"))
    .map((name) => name.split(" ")[1]);
  expect(sent.filter((id) => !after.has(id as RecordId))).toEqual([]);
  const put = {
    kind: "put",
    id: "fresh" as RecordId,
    collection: "observation",
    fields: scrubbed({ title: "quokka" }),
  } as const;
  expect(store.changes.change(namespace, [put], 1).ok).toBe(true);
  expect(store.reads.search("quokka", {}).length).toBe(1);
  expect(store.reads.search("synced", {}).length).toBeGreaterThan(0);
  expect(store.upkeep.check()).toEqual([]);
}

const lostWith = (page: number) => (op: KnownOp) => op.page === page || op.overflow.includes(page);

/** Runs cases by name, and says which of them failed and why. */
function expectAll(cases: readonly number[], run: (page: number) => void): void {
  const failures: string[] = [];
  for (const page of cases) {
    try {
      run(page);
    } catch (error) {
      failures.push(`${String(page)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(failures).toEqual([]);
}

const pages = (): readonly number[] => Array.from({ length: used.pageCount }, (_, at) => at + 1);

test("[ST14] a page of zeros, whichever it is, costs the ops on it and nothing else", () => {
  expectAll(pages(), (page) => {
    survive((bytes) => bytes.fill(0, (page - 1) * pageSize, page * pageSize), lostWith(page));
  });
});

// A flipped bit may hit a page's header, a pointer to a cell, a cell, or what nobody reads.
test.each([0, 2000])(
  "[ST14] a bit flipped at byte %i of a page, whichever it is, costs what stands there",
  (byte) => {
    expectAll(pages(), (page) => {
      survive((bytes) => {
        const at = (page - 1) * pageSize + byte;
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        return bytes;
      }, lostWith(page));
    });
  },
);

test("[ST14] a file that is cut off after a page, whichever it is, keeps the ops before", () => {
  expectAll([0, ...pages().slice(0, -1)], (page) => {
    const isLost = (op: KnownOp): boolean =>
      op.page > page || op.overflow.some((overflow) => overflow > page);
    survive((bytes) => bytes.subarray(0, page * pageSize), isLost);
  });
});

/** A row of each table whose rows are put back just as they were, with something in every column. */
const flat: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  agent_events: { key: "k", session: "s", at: 5, payload: "{}" },
  bindings: { project: "p", namespace: "ns_abc" },
  injections: { session: "s", record: "r", at: 5 },
  meta: { key: "a", value: "b" },
  namespace_keys: { namespace: "nse_abc", epoch: 3, key: "k".repeat(43) },
  namespace_logs: {
    namespace: "nse_abc",
    length: 2,
    head: "h",
    epoch: 1,
    name: "n",
    trouble: "t",
    entries: "[]",
  },
  own_writes: { namespace: "ns_abc", record: "r", field: "title", lamport: 4 },
  suspects: { namespace: "ns_abc", device: "dev_a", above: 2, since: 3 },
  writers: {
    namespace: "ns_abc",
    writer: "w",
    own: 1,
    device: "dev_a",
    device_name: "laptop",
    user: "usr_a",
    user_name: "Ada",
    machine: 1,
    joined_at: 7,
  },
};

test("[ST15] what a row says in any of its columns is put back", () => {
  const path = damagedCopy(used, (bytes) => bytes);
  const raw = new Sqlite(path);
  for (const [table, row] of Object.entries(flat)) {
    const columns = Object.keys(row);
    const names = raw.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table);
    expect([table, columns]).toEqual([table, names.filter((name) => name !== "id")]);
    const sql = `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map((name) => `@${name}`).join()})`;
    raw.prepare(sql).run(row);
  }
  raw.pragma("wal_checkpoint(TRUNCATE)");
  raw.close();
  writeFileSync(path, readFileSync(path).fill(0, 0, pageSize));
  repairFiles.noteSound(path, 0);
  const { store, repair } = openRepaired(path);
  store.close();
  expect(repair).toBeDefined();
  const mended = new Sqlite(path);
  for (const [table, row] of Object.entries(flat)) {
    const [[key, value] = ["", 0]] = Object.entries(row);
    const found = mended
      .prepare(`SELECT ${Object.keys(row).join()} FROM ${table} WHERE ${key} = ?`)
      .get(value);
    expect([table, found]).toMatchObject([table, row]);
  }
  mended.close();
});
