import type { NamespaceId } from "@tidemark/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletionGraceMs } from "../store/deletion-rules.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { applyRetention } from "./retention.ts";

const dayMs = 86_400_000;
const nowMs = 1000 * dayMs;
/** More rows than one statement can take out, and than a tenth of those that it tries first. */
const rowCount = 1_200;

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});

/** A statement that takes out more rows than this is ended, as by its time where values are large. */
async function endLongDeletes(table: string, rowsMax: number): Promise<void> {
  await stores.admin.unsafe(`
    create function tidemark.end_long_${table}() returns trigger language plpgsql as $$
    begin
      if (select count(*) from gone) > ${rowsMax} then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if;
      return null;
    end $$;
    create trigger end_long after delete on tidemark.${table}
      referencing old table as gone for each statement
      execute function tidemark.end_long_${table}()`);
}

test("[OPS122] rows that a statement has no time for go in smaller parts", async () => {
  const store = await stores.open({ nowMs: () => nowMs });
  await stores.own(2);
  await stores.admin`
    update tidemark.namespaces set deleted_at_ms = ${nowMs - deletionGraceMs}
    where namespace_id = 'ns_own1'`;
  await stores.admin`
    insert into tidemark.records (namespace_id, id, collection, seq, forgotten, bucket, digest, bytes)
    select 'ns_own1', 'r' || n, 'observation', n, true, 0, 0, 0
    from generate_series(1, ${rowCount}::int) as n`;
  await stores.admin`
    insert into tidemark.revisions (namespace_id, record_id, field, value, lamport, writer, at, hash,
      replaced_by_lamport, replaced_by_writer, created_at_ms)
    select 'ns_own2', 'r', 'title', 'old', n, 'w', 1, 'h', n + 1, 'w', 1
    from generate_series(1, ${rowCount}::int) as n`;
  await endLongDeletes("records", rowCount / 10);
  await endLongDeletes("revisions", rowCount / 10);
  await applyRetention({ store }, { nowMs });
  expect(await store.namespaceIds()).toEqual(["ns_own2" as NamespaceId]);
  const [left] = await stores.admin<{ readonly count: string }[]>`
    select count(*) from tidemark.revisions`;
  expect(left?.count).toBe("0");
});
