import { recordDigest, tombstone, type RecordId, type RecordState } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { StoreContext } from "../context.ts";
import { migrate } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { openDatabase } from "../sqlite.ts";
import { testSha256 } from "../testing/test-store.ts";
import { heldInRuns } from "./held-in-runs.ts";

const namespace = "ns_1";

const live = (id: string, text: string): RecordState => ({
  id: id as RecordId,
  collection: "observation",
  registers: { title: { value: text, clock: { lamport: 1, writer: "w" as never }, at: 1 } },
});

interface Opened {
  readonly context: StoreContext;
  /** Bytes of fields that each statement has read. */
  readonly read: readonly number[];
}

function filled(texts: Readonly<Record<string, string>>): Opened {
  const db = openDatabase({ path: ":memory:", busyTimeoutMs: 0 });
  migrate(db, migrations);
  const digest = recordDigest(testSha256, tombstone("r" as RecordId, "observation"));
  for (const [id, text] of Object.entries(texts)) {
    db.run(
      `INSERT INTO records (namespace, id, collection, seq, lamport, writer, at, fields, forgotten, digest)
       VALUES (?, ?, 'observation', 1, 1, 'w', 1, ?, 0, ?)`,
      namespace,
      id,
      JSON.stringify({ title: text }),
      digest,
    );
  }
  const read: number[] = [];
  const all: typeof db.all = (sql, ...bound) => {
    const rows = db.all(sql, ...bound);
    const fields = rows.map((row) => (row as { readonly fields?: string }).fields ?? "");
    read.push(fields.reduce((sum, text) => sum + text.length, 0));
    return rows as never;
  };
  return { context: { db: { ...db, all } } as unknown as StoreContext, read };
}

const textOf = (state: RecordState | undefined): unknown =>
  state === undefined || !("registers" in state) ? undefined : state.registers["title"]?.value;

test("[ST26] large records that a small page is of are read in runs, each once", () => {
  const ids = Array.from({ length: 30 }, (_, at) => `r${at}`);
  const large = Object.fromEntries(ids.map((id) => [id, `${id} ${"x".repeat(900_000)}`]));
  const { context, read } = filled({ ...large, small: "s" });
  const pulled = [...ids, "new", "small"].map((id) => live(id, "now"));
  const held = heldInRuns(context, namespace, pulled);
  const found = pulled.map((state) => String(textOf(held.of(state)?.state)).split(" ")[0]);
  expect(found).toEqual([...ids, "undefined", "s"]);
  expect(Math.max(...read)).toBeLessThan(5_000_000);
  expect(read.length).toBeLessThan(10);
});

test("[ST26] records of an ordinary page are read at once, and of a new one's nothing", () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `r${at}`);
  const { context, read } = filled(Object.fromEntries(ids.map((id) => [id, "x".repeat(1_000)])));
  const held = heldInRuns(
    context,
    namespace,
    ids.map((id) => live(id, "now")),
  );
  expect(ids.every((id) => textOf(held.of(live(id, "now"))?.state) !== undefined)).toBe(true);
  expect(read).toHaveLength(2);
  const none = heldInRuns(context, namespace, [live("new", "now")]);
  expect(none.of(live("new", "now"))).toBeUndefined();
  expect(read).toHaveLength(3);
});

test("[ST26] of what is forgotten now nothing is read but its digest", () => {
  const { context, read } = filled({ r1: "x".repeat(900_000), r2: "two" });
  const gone = tombstone("r1" as RecordId, "observation");
  const held = heldInRuns(context, namespace, [gone, live("r2", "now")]);
  expect(held.of(gone)).toEqual({ state: gone, seq: 1, digest: expect.any(String) });
  expect(textOf(held.of(live("r2", "now"))?.state)).toBe("two");
  expect(Math.max(...read)).toBeLessThan(100);
});
