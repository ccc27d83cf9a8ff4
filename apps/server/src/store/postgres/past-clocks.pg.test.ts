import type { RecordId, WriterId } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld } from "../../domain/testing/world.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;

beforeAll(async () => {
  stores = await createTestStores();
});

afterAll(() => stores.drop());

const values = 50_000;
const asked = 200;

/** Entries of the index that were looked at, as far as the database has counted them. */
async function entriesRead(): Promise<number> {
  const [row] = await stores.admin<{ read: number }[]>`
    select idx_tup_read::int as read from pg_stat_user_indexes
    where indexrelid = 'tidemark.revisions_namespace_id_record_id_field_lamport_writer_hash_pk'::regclass`;
  return row?.read ?? 0;
}

test("[HL3, PG3] a heal walks to what it asks of a long past, whatever row-level security keeps back", async () => {
  const store = await stores.open({ nowMs: () => 1 });
  const { namespace } = await createWorld(store);
  const { admin } = stores;
  await admin`
    insert into tidemark.revisions (namespace_id, record_id, field, value, lamport, writer, at, hash,
      replaced_by_lamport, replaced_by_writer, created_at_ms)
    select ${namespace}, 'long', 'title', '"v"', i, 'w1', 1, 'h' || i, i + 1, 'w1', 1
    from generate_series(1, ${values}) i`;
  await admin`vacuum analyze tidemark.revisions`;
  const before = await entriesRead();
  const writes = Array.from({ length: asked }, (_, index) => ({
    record: "long" as RecordId,
    field: "title",
    lamport: 1 + index * (values / asked),
    writer: "w1" as WriterId,
    hash: `h${1 + index * (values / asked)}`,
  }));
  const past = await store.readNamespace(namespace, (tx) => tx.pastClocks(writes));
  expect(past?.get("long" as RecordId)?.["title"]).toHaveLength(asked);
  await expect.poll(entriesRead, { timeout: 30_000 }).toBeGreaterThan(before);
  // All of the past once for each that was asked would be ten million.
  expect((await entriesRead()) - before).toBeLessThan(values);
});
