import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../../../test/postgres/database.ts";
import { migrate } from "./migrate.ts";

/** Enough rows that an index has several pages, and a search can take the wrong way among them. */
const deviceCount = 3_000;

/** A migrated database whose text is compared as English has it. */
async function createEnglish(): Promise<TestDatabase> {
  const kind = "template template0 encoding utf8 locale_provider icu icu_locale 'en'";
  const database = await createTestDatabase(undefined, kind);
  await migrate(database.url);
  return database;
}

let english: TestDatabase;
beforeAll(async () => {
  english = await createEnglish();
});
afterAll(async () => {
  await english.drop();
});

async function withSql<T>(run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(english.url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

test("[PG41] no index compares text as the database's own collation has it", async () => {
  const found = await withSql(
    async (sql) =>
      await sql<{ readonly key: string }[]>`
        select distinct pg_get_indexdef(i.indexrelid) as key
        from pg_index i
        join pg_class c on c.oid = i.indrelid
        cross join unnest(i.indcollation::oid[]) as used(id)
        where c.relnamespace = 'tidemark'::regnamespace and used.id <> 0
          and used.id <> (select oid from pg_collation where collname = 'C')`,
  );
  expect(found.map(({ key }) => key)).toEqual([]);
});

test("[PG41] devices are found by key and id after an update of the system has changed the collation", async () => {
  await withSql(async (sql) => {
    await sql`insert into tidemark.users (id, name, created_at_ms) values ('usr_a', 'ada', 1)`;
    await sql`
        insert into tidemark.devices (id, user_id, name, joined_name, platform, public_key,
          thumbprint, status, paired_at_ms)
        select 'dev_' || md5(n::text), 'usr_a', 'd', 'd', 'linux', 'k',
          translate(encode(sha256(n::text::bytea), 'base64'), '+/=', '-_'), 'active', 1
        from generate_series(1, ${deviceCount}::int) as n`;
    // What an update of libicu or glibc does: the same name stands for another order.
    const [column] = await sql<{ readonly name: string }[]>`
        select attname as name from pg_attribute
        where attrelid = 'pg_database'::regclass and attname in ('datlocale', 'daticulocale')`;
    await sql`
        update pg_database set ${sql({ [column?.name ?? ""]: "en-u-kn-true" })}
        where datname = current_database()`;
  });
  const [order, ids, keys] = await withSql(async (sql) => {
    const [changed] = await sql<{ readonly order: string }[]>`
        select string_agg(c, ' ' order by c) as order from unnest(array['10', '9']) as c`;
    await sql`set enable_seqscan = off`;
    const [byId] = await sql<{ readonly count: number }[]>`
        select count(*)::int as count from generate_series(1, ${deviceCount}::int) as n
        cross join lateral (
          select 1 from tidemark.devices where id = 'dev_' || md5(n::text) limit 1) as found`;
    const [byKey] = await sql<{ readonly count: number }[]>`
        select count(*)::int as count from generate_series(1, ${deviceCount}::int) as n
        cross join lateral (
          select 1 from tidemark.devices
          where thumbprint = translate(encode(sha256(n::text::bytea), 'base64'), '+/=', '-_')
          limit 1) as found`;
    return [changed?.order, byId?.count, byKey?.count];
  });
  expect(order).toBe("9 10");
  expect({ ids, keys }).toEqual({ ids: deviceCount, keys: deviceCount });
});
