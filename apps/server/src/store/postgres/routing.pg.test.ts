import { readFile } from "node:fs/promises";
import type { NamespaceId } from "@tidemark/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyRetention } from "../../domain/retention.ts";
import { commandsArbitrary, createActors } from "../../domain/testing/commands.ts";
import { healScenarios } from "../../domain/testing/heal-scenarios.ts";
import { pullScenarios } from "../../domain/testing/pull-scenarios.ts";
import { pushScenarios } from "../../domain/testing/push-scenarios.ts";
import { createWorld } from "../../domain/testing/world.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { Store } from "../port.ts";
import { openDoor, type Transaction } from "./door.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { schemaFaults, statementFaults, transactionsOf } from "./testing/routing.ts";
import { spyOnStatements, type StatementSpy } from "./testing/statement-spy.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;
let spy: StatementSpy;
const opened: Store[] = [];

beforeAll(async () => {
  stores = await createTestStores();
  spy = await spyOnStatements(stores.appUrl);
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await spy.close();
  await stores.drop();
});

const deps = {
  clock: { nowMs: () => 1 },
  random: { bytes: (count: number) => new Uint8Array(count) },
  timers: systemTimers,
};

/** A store on the emptied database whose every statement passes the spy. */
async function openSpied(): Promise<Store> {
  await stores.open(deps.clock);
  await Promise.all(opened.splice(0).map((store) => store.close()));
  const store = createPostgresStore({ ...deps, url: spy.url });
  opened.push(store);
  return store;
}

// Everything that the rules of sync do to a database, once more under the spy's eyes.
pushScenarios("routed", openSpied);
pullScenarios("routed", openSpied);
healScenarios("routed", openSpied);

test("[PG31] every statement of the data path names the namespace of its transaction", async () => {
  const [commands = []] = fc.sample(commandsArbitrary, { seed: 7, numRuns: 1 });
  const store = await openSpied();
  const actors = await createActors(await createWorld(store));
  for (const command of commands) await actors.run(command);
  await applyRetention({ store }, { nowMs: 1e12, revisionDays: 1 });

  const { transactions, faults } = transactionsOf(spy.sent);
  expect(faults).toEqual([]);
  const judged = await statementFaults(stores.admin, transactions);
  expect(judged.faults).toEqual([]);
  // The spy saw the whole data path, or this test would prove less than it says.
  expect([...judged.touched].toSorted()).toEqual([
    "delete marks",
    "delete revisions",
    "insert marks",
    "insert records",
    "insert revisions",
    "insert writers",
    "read marks",
    "read members",
    "read namespaces",
    "read records",
    "read revisions",
    "read writers",
    "update namespaces",
  ]);
});

const bad: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>> = {
  "one that row-level security alone would bind": (tx) =>
    tx`select id from tidemark.records where id = ${"r1"}`,
  "one of another namespace": (tx) =>
    tx`select id from tidemark.records where namespace_id = ${"ns_other"} and id = ${"r1"}`,
  "one of two namespaces": (tx) =>
    tx`select id from tidemark.records where namespace_id in (${"ns_team"}, ${"ns_other"})`,
  "one with a way around": (tx) =>
    tx`select id from tidemark.records where namespace_id = ${"ns_team"} or seq = ${1}`,
  "a join that binds one side": (tx) => tx`
    select r.id from tidemark.records r join tidemark.writers w on w.writer = r.writer
    where r.namespace_id = ${"ns_team"}`,
  "a delete by age": (tx) => tx`delete from tidemark.marks where created_at_ms < ${0}`,
  "an insert without the constant": (tx) => tx`
    insert into tidemark.marks (namespace_id, head, mark, created_at_ms)
    select namespace_id, head + 1000, mark, 0 from tidemark.marks
    where namespace_id = ${"ns_team"} and false`,
  "an advisory lock": (tx) => tx`select pg_advisory_xact_lock(1)`,
};

test.each(Object.keys(bad))("[PG31] a planted statement is caught: %s", async (name) => {
  const plant = bad[name];
  if (plant === undefined) throw new Error("nothing to plant");
  const from = spy.sent.length;
  const door = openDoor({ ...deps, url: spy.url });
  try {
    await door.withNamespace("ns_team" as NamespaceId, "write", plant);
  } finally {
    await door.close();
  }
  const { transactions } = transactionsOf(spy.sent.slice(from));
  expect(transactions).toHaveLength(1);
  const { faults } = await statementFaults(stores.admin, transactions);
  expect(faults).toHaveLength(1);
});

test("[PG31] a transaction that takes a second namespace is caught", async () => {
  const from = spy.sent.length;
  const door = openDoor({ ...deps, url: spy.url });
  try {
    await door.withNamespace("ns_team" as NamespaceId, "read", async (tx) => {
      await tx`select set_config('tidemark.namespace_id', ${"ns_other"}, true)`;
    });
  } finally {
    await door.close();
  }
  expect(transactionsOf(spy.sent.slice(from)).faults).toHaveLength(1);
});

test("[PG6] every key of a tenant's table begins with the namespace, and nothing crosses it", async () => {
  expect(await schemaFaults(stores.admin)).toEqual([]);
});

test("[OPS125] the guide on growing places every table that there is, and no other", async () => {
  const rows = await stores.admin<{ readonly name: string; readonly isOfNamespace: boolean }[]>`
    select c.relname as name, coalesce((
      select a.attname = 'namespace_id' from pg_index i join pg_attribute a
        on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where i.indrelid = c.oid and i.indisprimary), false) as "isOfNamespace"
    from pg_class c where c.relnamespace = 'tidemark'::regnamespace and c.relkind = 'r'`;
  const guide = await readFile(
    new URL("../../../../../docs/guides/scaling.md", import.meta.url),
    "utf8",
  );
  const namedIn = (part: RegExp): readonly string[] =>
    [...(part.exec(guide)?.[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).toSorted();
  const namesOf = (isOfNamespace: boolean): readonly string[] =>
    rows
      .filter((row) => row.isOfNamespace === isOfNamespace)
      .map(({ name }) => name)
      .toSorted();
  expect(namedIn(/The tables (.*) do not belong to one namespace/)).toEqual(namesOf(false));
  expect(namedIn(/create_distributed_table\([^)]*\)` for (.*), colocated/)).toEqual(namesOf(true));
});

test.each([
  "create table tidemark.notes (id text primary key, namespace_id text)",
  "create table tidemark.notes (namespace_id text, id text)",
  "create unique index planted on tidemark.records (id, namespace_id)",
  "create sequence tidemark.planted",
  `create function tidemark.f() returns trigger language plpgsql as 'begin return new; end';
    create trigger planted before insert on tidemark.records
    for each row execute function tidemark.f()`,
  `alter table tidemark.writers add constraint planted
    foreign key (device_id) references tidemark.devices (id)`,
])("[PG6] a planted schema is caught: %s", async (statement) => {
  const rollBack = new Error("roll back");
  const planted = stores.admin.begin(async (tx) => {
    await tx.unsafe(statement);
    expect(await schemaFaults(tx)).toHaveLength(1);
    throw rollBack;
  });
  await expect(planted).rejects.toBe(rollBack);
});
