import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestClock } from "../../auth/testing/auth-deps.ts";
import { claimServer, createTestWriter, joinServer, push } from "../../http/testing/client.ts";
import { bodyText, createHarness } from "../../http/testing/harness.ts";
import { rightsTable } from "../../http/testing/rights-table.ts";
import type { Ids } from "../../http/testing/rights-world.ts";
import { routeTable, type RouteName } from "../../http/route-table.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});

test("[NS24] no policy and no statement about rights reads who waits", async () => {
  const policies = await stores.admin`
    select tablename from pg_policies
    where schemaname = 'tidemark' and (tablename = 'waiting_members'
      or coalesce(qual, '') || coalesce(with_check, '') like '%waiting%')`;
  expect(policies).toEqual([]);
  const folder = import.meta.dirname;
  const readers = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
    .filter((name) => readFileSync(join(folder, name), "utf8").includes("waiting_members"));
  // Making, ending and deciding a wait, the table itself, the end of a namespace, and how many places
  // a person has.
  expect(readers.toSorted()).toEqual([
    "deletion.ts",
    "member-rows.ts",
    "places.ts",
    "schema.ts",
    "waiting.ts",
  ]);
});

test("[NS24] [NS21] in PostgreSQL a namespace is to who waits for it as one that never was (abuse 90)", async () => {
  const clock = createTestClock();
  const store = await stores.open(clock);
  const server = { ...createHarness({ clock, store }), clock };
  const owner = await claimServer(server);
  const { id } = await owner.createNamespace("acme");
  await push(owner, id, createTestWriter("writer_a").body(["a secret of acme"]));
  const link = await owner.createLink({ kind: "invite", namespace: id, confirm: true });
  const bob = await joinServer(server, link, "bob");
  const ids: Ids = {
    namespace: id,
    user: owner.admission.user.id,
    waiting: bob.admission.user.id,
    device: owner.admission.device.id,
    link: link.id,
    record: "writer_a-record-1",
    writer: "writer_b",
    cursor: Buffer.from(JSON.stringify([1, 1, 1, "7".repeat(26)])).toString("base64url"),
  };
  const none = { ...ids, namespace: `ns_${"7".repeat(26)}` as Ids["namespace"] };
  const ask = async (name: RouteName, named: Ids) => {
    const { path, ...sending } = rightsTable[name].request(named);
    const answer = await bob.send(path, sending);
    const body = await bodyText(answer);
    return { status: answer.status, body: body.replace(/"requestId":"[^"]*"/, "") };
  };
  const before = await store.accounts.verifyAudit();
  const names = (Object.keys(routeTable) as RouteName[]).filter((name) =>
    rightsTable[name].ids.includes("namespace"),
  );
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) {
    const answer = await ask(name, ids);
    expect({ name, ...answer }).toEqual({ name, ...(await ask(name, none)) });
    expect({ name, status: answer.status }).toEqual({ name, status: 404 });
  }
  expect(await store.accounts.verifyAudit()).toEqual(before);
  const rows = await stores.admin`
    select user_id from tidemark.members where namespace_id = ${id}`;
  expect(rows).toEqual([{ user_id: owner.admission.user.id }]);
});

test("[NS24] [PG9] to a server of before an invite that waits is used up, and who waits is nobody", async () => {
  const clock = createTestClock();
  const store = await stores.open(clock);
  const server = { ...createHarness({ clock, store }), clock };
  const owner = await claimServer(server);
  const { id } = await owner.createNamespace("acme");
  const link = await owner.createLink({ kind: "invite", namespace: id, confirm: true });
  // What that server asks before it opens a link.
  const opens = async () =>
    await stores.admin`
    select 1 from tidemark.links where id = ${link.id} and uses < uses_max
      and revoked_at_ms is null and (kind = 'ci' or used_at_ms is null)`;
  expect(await opens()).toEqual([]);
  await joinServer(server, link, "bob");
  expect(await opens()).toEqual([]);
  expect(
    await stores.admin`
    select 1 from tidemark.members where namespace_id = ${id} and role <> 'owner'`,
  ).toEqual([]);
});
