import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSigningKeys, privateJwk, turnSigningKeys } from "../../auth/signing-keys.ts";
import { createAuthDeps, createTestClock, openVault } from "../../auth/testing/auth-deps.ts";
import type { AccountStore, AdmittedDevice, LinkRow } from "../accounts-port.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

const laptop = "dev_laptop" as DeviceId;
const team = "ns_team" as NamespaceId;

let stores: TestStores;
let accounts: AccountStore;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});
beforeEach(async () => {
  ({ accounts } = await stores.open({ nowMs: () => 1 }));
  await accounts.server(() => "srv");
  await accounts.saveSetupSecret("secret", 100);
  const personal = { id: "ns_own" as NamespaceId, name: "personal", mark: "mark" };
  const user = { id: "usr_ada" as UserId, name: "ada", personal };
  await accounts.claim({ secretHash: "secret", nowMs: 1, user, device: device("laptop") });
  await accounts.createNamespace({ asking: laptop, id: team, name: "team", mark: "mark" });
});

function device(name: string): AdmittedDevice {
  const key = { kty: "OKP", crv: "Ed25519", x: name } as const;
  return { id: `dev_${name}` as DeviceId, name, platform: "linux", key, thumbprint: name };
}

function link(id: string, kind: "device" | "ci"): LinkRow {
  const grant = kind === "ci" ? { namespace: team, role: "reader" as const, usesMax: 5 } : {};
  const by = { createdBy: "usr_ada" as UserId, createdByDevice: laptop };
  const row = { namespace: undefined, role: undefined, expiresAtMs: 1000 };
  return { id, kind, authHash: "auth", ...by, ...row, ...grant };
}

async function redeem(id: string, name: string): Promise<boolean> {
  const given = { id, authHash: "auth", mac: "mac", nowMs: 5, user: undefined };
  return (await accounts.redeemLink({ ...given, device: device(name) })).ok;
}

/** What a server of before machines asks before it lets somebody in by a link. */
async function opensBefore(id: string): Promise<boolean> {
  const rows = await stores.admin`
    select 1 from tidemark.links where id = ${id} and used_at_ms is null`;
  return rows.length > 0;
}

test("[PG9] no link for machines, and none that was ended, opens at a server of before", async () => {
  await accounts.createLink(link("fleet", "ci"));
  await accounts.createLink(link("ended", "device"));
  await accounts.createLink(link("burnt", "device"));
  await accounts.createLink(link("open", "device"));
  const end = { asking: laptop, withDevices: false, network: undefined, nowMs: 5 };
  await accounts.revokeLink({ ...end, id: "ended" });
  const guess = { authHash: "guess", mac: "mac", nowMs: 5, user: undefined };
  for (let count = 0; count < 10; count += 1) {
    await accounts.redeemLink({ ...guess, id: "burnt", device: device("eve") });
  }
  expect(await opensBefore("fleet")).toBe(false);
  expect(await opensBefore("ended")).toBe(false);
  expect(await opensBefore("burnt")).toBe(false);
  expect(await opensBefore("open")).toBe(true);
  expect(await redeem("fleet", "box-1")).toBe(true);
  expect(await redeem("fleet", "box-2")).toBe(true);
  for (const id of ["ended", "burnt"]) {
    expect(await accounts.linkState({ asking: laptop, id, nowMs: 5 })).toEqual({
      status: "expired",
    });
  }
});

test("[PG9] a link that a server of before has used up opens no second time", async () => {
  await accounts.createLink(link("one", "device"));
  await stores.admin`update tidemark.links set used_at_ms = 4 where id = 'one'`;
  expect(await redeem("one", "desk")).toBe(false);
  expect(await accounts.linkState({ asking: laptop, id: "one", nowMs: 5 })).toEqual({
    status: "used",
  });
  expect(await accounts.links(laptop, 5)).toEqual([]);
  const end = { asking: laptop, withDevices: false, network: undefined, nowMs: 5 };
  await accounts.revokeLink({ ...end, id: "one" });
  expect(await accounts.linkState({ asking: laptop, id: "one", nowMs: 5 })).toEqual({
    status: "used",
  });
});

test("[PG9] a machine is no active device to a server of before, and one to this", async () => {
  await accounts.createLink(link("fleet", "ci"));
  await redeem("fleet", "box");
  const box = "dev_box" as DeviceId;
  const active = await stores.admin`select id from tidemark.devices where status = 'active'`;
  expect(active.map(({ id }) => id as string)).toEqual([laptop]);
  expect(await accounts.device(box)).toMatchObject({ status: "active", kind: "ci" });
  expect(await accounts.identity(box)).toMatchObject({ device: { id: box } });
  expect(await accounts.devices(laptop)).toMatchObject([{}, { id: box, status: "active" }]);
  expect(await accounts.showCounter({ device: box, counter: 1, nowMs: 5 })).toEqual({
    kind: "shown",
  });
  expect(await accounts.revokeDevice({ asking: laptop, id: box, isForced: true })).toMatchObject({
    ok: true,
  });
  expect(await accounts.device(box)).toMatchObject({ status: "revoked" });
});

test("[AU19] a server of before finds no key to sign with, makes one, and ours goes on beside it", async () => {
  const clock = createTestClock();
  const deps = { ...createAuthDeps(clock), vault: openVault, accounts };
  const keys = createSigningKeys(deps);
  const { kid } = await keys.active();
  // What a server of before does: it reads four columns, and makes a key where none is active.
  const shown = await stores.admin<{ jwk: string; status: string }[]>`
    select jwk, status from tidemark.signing_keys`;
  expect(shown).toHaveLength(2);
  for (const { jwk, status } of shown) {
    expect(JSON.parse(jwk)).toEqual({ kty: "OKP", crv: "Ed25519", x: expect.any(String) });
    expect(status).not.toBe("active");
  }
  const { x, d } = await privateJwk(new Uint8Array(32).fill(3));
  const jwk = JSON.stringify({ kty: "OKP", crv: "Ed25519", x, d });
  await stores.admin`
    insert into tidemark.signing_keys (kid, jwk, status, created_at_ms)
    values ('earlier', ${jwk}, 'active', ${clock.nowMs() + 1})`;
  clock.advance(2_000);
  expect(await keys.verifier("earlier")).toBeDefined();
  expect((await keys.active()).kid).toBe(kid);
  await turnSigningKeys(deps, { stripPlain: true });
  const left = await stores.admin`
    select jwk from tidemark.signing_keys where kid = 'earlier' and status = 'retiring'`;
  expect(left.map((row) => JSON.parse(String(row["jwk"])) as object)).toEqual([
    { kty: "OKP", crv: "Ed25519", x },
  ]);
});

test("[AU19] of servers that start at once, one makes the keys", async () => {
  const deps = { ...createAuthDeps(createTestClock()), vault: openVault, accounts };
  const servers = [1, 2, 3, 4].map(() => createSigningKeys(deps));
  const kids = await Promise.all(servers.map(async (keys) => (await keys.active()).kid));
  expect(new Set(kids).size).toBe(1);
  expect(await accounts.signingKeys()).toHaveLength(2);
});
