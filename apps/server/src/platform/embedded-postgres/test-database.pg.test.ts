import postgres from "postgres";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../../../test/postgres/database.ts";

test("[PG30] a test's database is its own, its app role is bound by row-level security", async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const owner = postgres(one.url, { max: 1, onnotice: () => {} });
  const app = postgres(one.appUrl, { max: 1, onnotice: () => {} });
  try {
    expect(one.url).not.toBe(two.url);
    await owner.unsafe(`create table notes (n int);
      insert into notes values (1), (2);
      alter table notes enable row level security;
      create policy odd on notes using (n % 2 = 1);
      grant select on notes to tidemark_app`);
    expect(await app`select current_user as role, n from notes`).toEqual([
      { role: "tidemark_app", n: 1 },
    ]);
  } finally {
    await Promise.all([one.drop(), two.drop()]);
    await Promise.all([owner.end({ timeout: 1 }), app.end({ timeout: 1 })]);
  }
  await expect(postgres(one.url, { max: 1 })`select 1`).rejects.toThrow("does not exist");
});
