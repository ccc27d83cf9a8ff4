import { afterAll, beforeAll, expect, test } from "vitest";
import { appRole } from "../platform/embedded-postgres/endpoint.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { checkWalls } from "./check-walls.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(() => stores.drop());

test("[PG36] a wall that stands is found standing, by login and by role (abuse 101)", async () => {
  expect(await checkWalls(stores.appUrl, undefined)).toBe(true);
  expect(await checkWalls(stores.url, appRole)).toBe(true);
  // A superuser's login without the role serves, and is told apart.
  expect(await checkWalls(stores.url, undefined)).toBe(false);
});

test.each(["no force", "disable"])(
  "[PG36] nothing is served from a table whose row-level security is off: %s (abuse 101)",
  async (change) => {
    const { admin } = stores;
    await admin.unsafe(`alter table tidemark.writers ${change} row level security`);
    try {
      await expect(checkWalls(stores.appUrl, undefined)).rejects.toMatchObject({
        code: "walls-down",
        message: expect.stringContaining("writers") as string,
      });
    } finally {
      await admin.unsafe(
        "alter table tidemark.writers enable row level security, force row level security",
      );
    }
  },
);

test.each(["audit", "audit_head"])(
  "[PG36] nothing is served where the serving role may rewrite what was audited: %s (abuse 101)",
  async (table) => {
    const { admin } = stores;
    await admin.unsafe(`alter table tidemark.${table} disable row level security`);
    try {
      await expect(checkWalls(stores.appUrl, undefined)).rejects.toMatchObject({
        code: "walls-down",
        message: `row-level security is off or not forced on ${table}`,
      });
    } finally {
      await admin.unsafe(`alter table tidemark.${table} enable row level security`);
    }
  },
);

test("[PG36] nothing is served as an app role that passes the wall (abuse 101)", async () => {
  const { admin } = stores;
  const name = `walls_${process.pid}`;
  for (const right of ["bypassrls", "superuser"]) {
    await admin.unsafe(`create role ${name} ${right}`);
    try {
      await expect(checkWalls(stores.url, name)).rejects.toMatchObject({ code: "walls-down" });
    } finally {
      await admin.unsafe(`drop role ${name}`);
    }
  }
});
