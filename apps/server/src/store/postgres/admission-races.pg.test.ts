import { limits, type DeviceId, type NamespaceId, type UserId } from "@tidemark/protocol";
import type { ISql } from "postgres";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { AccountStore, AdmittedDevice, LinkRow } from "../accounts-port.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

const owner = "usr_owner" as UserId;
const laptop = "dev_laptop" as DeviceId;
const stolen = "dev_stolen" as DeviceId;
/** When the second device is old enough to let others in (PR5). */
const laterMs = 20 * 60_000;
const endMs = 2 * laterMs;

let stores: TestStores;
let accounts: AccountStore;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});
beforeEach(async () => {
  ({ accounts } = await stores.open({ nowMs: () => laterMs }));
  await accounts.server(() => "srv");
  await accounts.saveSetupSecret("hash", 100);
  const personal = { id: "ns_personal" as NamespaceId, name: "personal", mark: "mark0" };
  const user = { id: owner, name: "Olga", personal };
  await accounts.claim({ secretHash: "hash", nowMs: 50, user, device: device("laptop") });
  await makeLink("first", laptop);
  expect(await open("first", device("stolen"))).toMatchObject({ ok: true });
});

test("[AU11] a link that is opened while its maker is shut out opens for nobody", async () => {
  await makeLink("second", stolen);
  const [revoked, joined] = await inTurn(
    () => accounts.revokeDevice({ asking: laptop, id: stolen }),
    () => open("second", device("thief"), laterMs),
  );
  expect(revoked).toMatchObject({ ok: true });
  expect(joined).toEqual({ ok: false, error: { kind: "invalid-or-expired" } });
  expect(await accounts.device("dev_thief" as DeviceId)).toBeUndefined();
});

test("[AU74] an invite that is opened while its maker is shut out opens for nobody", async () => {
  const team = "ns_own1" as NamespaceId;
  await stores.own(1);
  await makeLink("invite", stolen, { kind: "invite", namespace: team, role: "writer" });
  const personal = { id: "ns_theirs" as NamespaceId, name: "personal", mark: "mark0" };
  const user = { id: "usr_thief" as UserId, name: "thief", personal };
  const opened = { id: "invite", authHash: "auth", mac: "mac", nowMs: laterMs, user };
  const calls: [
    ReturnType<AccountStore["revokeDevice"]>,
    ReturnType<AccountStore["redeemLink"]>,
  ][] = [];
  const shutOut = () => accounts.revokeDevice({ asking: laptop, id: stolen });
  // The last lock of a revocation: it has told by then which links of the device end with it.
  await stores.admin.begin(async (tx) => {
    await tx`select 1 from tidemark.audit_head where singleton for update`;
    const revoked = shutOut();
    await waiting(tx, 1);
    const joined = accounts.redeemLink({ ...opened, device: device("thief") });
    await waiting(tx, 2);
    calls.push([revoked, joined]);
  });
  const [revoked, joined] = await Promise.all(calls[0] ?? []);
  expect(revoked).toMatchObject({ ok: true, value: { links: [{ id: "invite" }] } });
  expect(joined).toEqual({ ok: false, error: { kind: "invalid-or-expired" } });
  expect(await accounts.device("dev_thief" as DeviceId)).toBeUndefined();
});

test("[PR4] what a device approved is not redeemed while it is shut out", async () => {
  const thief = device("thief");
  const { thumbprint } = thief;
  await accounts.startPairing({
    id: "pair1",
    pollHash: "poll",
    code: "CODE",
    device: thief,
    mac: "mac",
    salt: "salt",
    network: "n",
    nowMs: laterMs,
    expiresAtMs: endMs,
  });
  const decided = { asking: stolen, id: "pair1", decision: "approved", network: "n" } as const;
  expect(await accounts.decidePairing({ ...decided, nowMs: laterMs })).toMatchObject({ ok: true });
  const [, polled] = await inTurn(
    () => accounts.revokeDevice({ asking: laptop, id: stolen }),
    () =>
      accounts.pollPairing({
        id: "pair1",
        pollHash: "poll",
        thumbprint,
        nowMs: laterMs,
        network: "n",
      }),
  );
  expect(polled).toEqual({ kind: "denied" });
});

test("[AU21] the host lets the owner in though a thousand devices are", async () => {
  await stores.admin`
    insert into tidemark.devices (id, user_id, name, joined_name, platform, public_key, thumbprint,
      status, paired_at_ms)
    select 'dev_' || n, ${owner}, 'd', 'd', 'linux', '{}', 'print_' || n, 'active', 60
    from generate_series(1, 1000) as n`;
  await makeLink("full", laptop);
  expect(await open("full", device("more"))).toMatchObject({
    error: { kind: "too-many-devices" },
  });
  await accounts.saveOwnerReset({ secretHash: "reset", expiresAtMs: endMs, nowMs: laterMs });
  const personal = { id: "ns_other" as NamespaceId, name: "personal", mark: "mark0" };
  const user = { id: "usr_other" as UserId, name: "x", personal };
  const back = { secretHash: "reset", nowMs: laterMs, user, device: device("back") };
  expect(await accounts.claim(back)).toMatchObject({ ok: true, value: { user: { id: owner } } });
});

test("[NS28] the last namespace that a person may have is made once", async () => {
  await stores.own(limits.namespacesMax - 2);
  const make = async (name: string) =>
    await accounts.createNamespace({
      asking: laptop,
      id: `ns_${name}` as NamespaceId,
      name,
      mark: "mark0",
    });
  const [one, two] = await inTurn(
    () => make("one"),
    () => make("two"),
  );
  expect(one).toMatchObject({ ok: true });
  expect(two).toEqual({ ok: false, error: { kind: "too-many-namespaces" } });
});

/** Lets two calls wait for the person's lock, the first one before the second. */
async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const calls: [Promise<A>, Promise<B>][] = [];
  await stores.admin.begin(async (tx) => {
    await tx`select 1 from tidemark.users where id = ${owner} for update`;
    const one = first();
    await waiting(tx, 1);
    const two = second();
    await waiting(tx, 2);
    calls.push([one, two]);
  });
  const [[one, two] = [first(), second()]] = calls;
  return [await one, await two];
}

async function waiting(tx: ISql, count: number): Promise<void> {
  await vi.waitUntil(
    async () => {
      const rows = await tx`
        select distinct pid from pg_locks where not granted and pid in (
          select pid from pg_locks where database = (
            select oid from pg_database where datname = current_database()))`;
      return rows.length === count;
    },
    { timeout: 20_000 },
  );
}

function device(name: string): AdmittedDevice {
  const key = { kty: "OKP", crv: "Ed25519", x: name } as const;
  const id = `dev_${name}` as DeviceId;
  return { id, name, platform: "linux", key, thumbprint: `print_${name}` };
}

const forDevice = { kind: "device", namespace: undefined, role: undefined } as const;

async function makeLink(
  id: string,
  maker: DeviceId,
  grant: Pick<LinkRow, "kind" | "namespace" | "role"> = forDevice,
): Promise<void> {
  const made = await accounts.createLink({
    id,
    authHash: "auth",
    createdBy: owner,
    createdByDevice: maker,
    ...grant,
    expiresAtMs: endMs,
  });
  expect(made).toMatchObject({ ok: true });
}

async function open(
  id: string,
  opener: AdmittedDevice,
  nowMs = 65,
): ReturnType<AccountStore["redeemLink"]> {
  const opened = { id, authHash: "auth", mac: "mac", nowMs, user: undefined };
  return await accounts.redeemLink({ ...opened, device: opener });
}
