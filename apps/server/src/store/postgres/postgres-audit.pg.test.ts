import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld } from "../../domain/testing/world.ts";
import { auditContract } from "../testing/audit-contract.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;
let app: postgres.Sql;
beforeAll(async () => {
  stores = await createTestStores();
  app = postgres(stores.appUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await app.end();
  await stores.drop();
});

auditContract("postgres", (clock) => stores.open(clock));

test("[AD1] the role that serves requests can only add to the audit (abuse 138)", async () => {
  await createWorld(await stores.open({ nowMs: () => 1 }));
  const [before] =
    await stores.admin`select seq, details, hash from tidemark.audit order by seq desc limit 1`;
  const tries = [
    app`update tidemark.audit set details = '{}'`,
    app`delete from tidemark.audit`,
    app`truncate tidemark.audit`,
    app`delete from tidemark.audit_head`,
    app`insert into tidemark.audit_head (singleton, seq, hash) values (true, 0, '')`,
    app`alter table tidemark.audit disable trigger all`,
  ];
  for (const attempt of tries) await expect(attempt).rejects.toMatchObject({ code: "42501" });
  const [after] =
    await stores.admin`select seq, details, hash from tidemark.audit order by seq desc limit 1`;
  expect(after).toEqual(before);
});

test("[AD1] [PG2] a grant of a server of before undoes none of that", async () => {
  await createWorld(await stores.open({ nowMs: () => 1 }));
  const all = () => stores.admin`select seq, details from tidemark.audit order by seq`;
  const before = [...(await all())];
  await stores.admin`
    grant select, insert, update, delete on tidemark.audit, tidemark.audit_head to tidemark_app`;
  try {
    await app`update tidemark.audit set details = '{}'`;
    await app`delete from tidemark.audit`;
    await app`delete from tidemark.audit_head`;
    const forged = app`insert into tidemark.audit_head (singleton, seq, hash) values (true, 0, '')`;
    await expect(forged).rejects.toMatchObject({ code: "42501" });
    expect([...(await all())]).toEqual(before);
    expect(await stores.admin`select 1 from tidemark.audit_head`).toHaveLength(1);
  } finally {
    await stores.admin`revoke update, delete on tidemark.audit from tidemark_app`;
    await stores.admin`revoke insert, delete on tidemark.audit_head from tidemark_app`;
  }
});

test("[AD3] an end that was set back stops no device from being shut out, and is found", async () => {
  const { deps, owner } = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { accounts } = deps.store;
  await accounts.renameDevice(owner, owner, "renamed");
  await stores.admin`update tidemark.audit_head set seq = seq - 1, hash = 'x'`;
  expect(await accounts.revokeDevice({ asking: owner, id: owner, isForced: true })).toMatchObject({
    ok: true,
  });
  expect(await accounts.device(owner)).toMatchObject({ status: "revoked" });
  await stores.admin`update tidemark.audit_head set seq = seq + 5`;
  expect(await accounts.verifyAudit()).toHaveProperty("brokenAt");
});

const forgeries: Record<string, { readonly sql: string; readonly brokenAt: number }> = {
  "a column changed": {
    sql: "update tidemark.audit set network = '198.51.100.0/24' where seq = 2",
    brokenAt: 2,
  },
  "a row taken out": { sql: "delete from tidemark.audit where seq = 2", brokenAt: 2 },
  "the first row taken out": { sql: "delete from tidemark.audit where seq = 1", brokenAt: 1 },
  "the last row taken out": { sql: "delete from tidemark.audit where seq = 4", brokenAt: 4 },
  "all rows taken out": { sql: "delete from tidemark.audit", brokenAt: 1 },
  "a hash changed": { sql: "update tidemark.audit set hash = 'x' where seq = 3", brokenAt: 3 },
  "the last hash changed": {
    sql: "update tidemark.audit set hash = 'x' where seq = 4",
    brokenAt: 4,
  },
  "the end set back": {
    sql: "update tidemark.audit_head set hash = (select hash from tidemark.audit where seq = 3)",
    brokenAt: 5,
  },
};
test.each(Object.entries(forgeries))(
  "[AD3] with %s by a superuser the chain breaks there (abuse 138)",
  async (_, { sql, brokenAt }) => {
    const { accounts } = await stores.open({ nowMs: () => 1 }).then(async (store) => {
      const { deps, owner } = await createWorld(store);
      await deps.store.accounts.renameDevice(owner, owner, "renamed");
      return deps.store;
    });
    expect((await accounts.verifyAudit()).rows).toBe(4);
    await stores.admin.unsafe(sql);
    expect(await accounts.verifyAudit()).toMatchObject({ brokenAt });
  },
);

test("[AD1] work whose audit cannot be written does not happen", async () => {
  const { accounts } = await stores.open({ nowMs: () => 1 }).then(async (store) => {
    await createWorld(store);
    return store;
  });
  await stores.admin`alter table tidemark.audit add constraint unwritable check (seq < 0) not valid`;
  const [owner] = await stores.admin<{ id: DeviceId }[]>`select id from tidemark.devices`;
  if (owner === undefined) throw new Error("there is an owner");
  const id = "ns_unaudited" as NamespaceId;
  const made = accounts.createNamespace({ asking: owner.id, id, name: "n", mark: "m" });
  await expect(made).rejects.toThrow("unwritable");
  await stores.admin`alter table tidemark.audit drop constraint unwritable`;
  const rows = await stores.admin`select 1 from tidemark.namespaces where namespace_id = ${id}`;
  expect(rows).toHaveLength(0);
});

test("[AD1] appends and pushes at once end, none in a deadlock", async () => {
  const world = await createWorld(await stores.open({ nowMs: () => 1 }));
  const { namespace, owner, deps, writer } = world;
  const actor = { device: owner, namespace };
  const pushes = Array.from({ length: 4 }, async (_, index) => {
    const one = writer(`w${index}`);
    for (let round = 0; round < 10; round += 1) await one.send(one.put(`r${index}-${round}`, {}));
  });
  const changes = Array.from({ length: 40 }, async (_, index) => {
    await deps.store.accounts.renameDevice(owner, owner, `name ${index}`);
    await deps.store.accounts.members(actor);
  });
  await Promise.all([...pushes, ...changes]);
  expect((await deps.store.accounts.verifyAudit()).brokenAt).toBeUndefined();
});
