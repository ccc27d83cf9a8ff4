import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { AdmittedDevice, AdmittedUser, LinkRow } from "../accounts-port.ts";
import type { Store } from "../port.ts";

/** Gives an empty store; the clock is the test's. */
export type MakeStore = (clock: { nowMs(): number }) => Promise<Store>;

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const network = "203.0.113.0/24";
const startMs = 1_795_000_000_000;

/** What every implementation of the audit does. */
export function auditContract(name: string, makeStore: MakeStore): void {
  describe(`${name} keeps the audit`, () => {
    writeContract(makeStore);
    readContract(makeStore);
    counterContract(makeStore);
  });
}

/** Changes of every kind, in their order; gives the store and the clock. */
async function lived(makeStore: MakeStore): Promise<World> {
  const world = await claimed(makeStore);
  const { accounts } = world.store;
  const team = "ns_team" as NamespaceId;
  const made = { asking: laptop, id: team, name: "team", mark: "mark0", network };
  await accounts.createNamespace(made);
  await accounts.createLink(link("l1", "device"), network);
  await accounts.redeemLink({ id: "l1", ...opening("desktop"), user: undefined });
  await accounts.createLink({ ...link("l2", "invite"), namespace: team, role: "writer" }, network);
  await accounts.redeemLink({ id: "l2", ...opening("phone"), user: user("grace") });
  await accounts.renameDevice(laptop, laptop, "mbp", network);
  const actor = { device: laptop, namespace: team, network };
  await accounts.setRole(actor, "usr_grace" as UserId, "admin");
  await accounts.removeMember(actor, "usr_grace" as UserId);
  await accounts.revokeDevice({
    asking: laptop,
    id: "dev_desktop" as DeviceId,
    isForced: true,
    network,
  });
  for (const [kid, details] of [["k1", {}] as const, ["k2", { before: "k1" }] as const]) {
    const entry = { event: "signing-keys-rotated", target: kid, details } as const;
    await accounts.changeSigningKeys((rows) => ({ rows, entry, nowMs: startMs }));
  }
  return world;
}

function writeContract(makeStore: MakeStore): void {
  test("[AD2] every change tells who, from where and what, in its order", async () => {
    const { store } = await lived(makeStore);
    const rows = await everything(store);
    expect(rows.map(({ event }) => event)).toEqual([
      "server-claimed",
      "device-joined",
      "namespace-created",
      "link-made",
      "link-used",
      "device-joined",
      "link-made",
      "link-used",
      "invite-accepted",
      "device-joined",
      "device-renamed",
      "role-changed",
      "member-removed",
      "device-revoked",
      "signing-keys-rotated",
      "signing-keys-rotated",
    ]);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    const desktop = rows[5];
    expect(desktop).toMatchObject({
      at: startMs,
      user: { id: owner, name: "Owner" },
      device: { id: "dev_desktop", name: "desktop" },
      about: { id: owner },
      target: "dev_desktop",
      network,
      details: { approvedBy: "laptop", by: "link", name: "desktop", platform: "linux x64" },
    });
    expect(rows[11]).toMatchObject({
      namespace: { id: "ns_team", name: "team" },
      target: "usr_grace",
      details: { before: "writer", role: "admin", name: "Grace" },
    });
    expect(rows[15]).toMatchObject({ user: undefined, target: "k2", details: { before: "k1" } });
  });

  test("[AD2] what changes nothing is not written, nor is what was refused", async () => {
    const { store } = await lived(makeStore);
    const { accounts } = store;
    const count = (await everything(store)).length;
    const stranger = "dev_phone" as DeviceId;
    await accounts.renameDevice(laptop, laptop, "mbp", network);
    await accounts.renameDevice(stranger, laptop, "mine", network);
    await accounts.revokeDevice({
      asking: laptop,
      id: "dev_desktop" as DeviceId,
      isForced: true,
      network,
    });
    await accounts.revokeDevice({ asking: stranger, id: laptop, isForced: true, network });
    await accounts.redeemLink({ id: "l1", ...opening("other"), user: undefined });
    const actor = { device: stranger, namespace: "ns_team" as NamespaceId, network };
    await accounts.setRole(actor, owner, "reader");
    await accounts.changeSigningKeys((rows) => ({ rows }));
    expect(await everything(store)).toHaveLength(count);
  });

  test("[AD3] the chain of an audit that nobody touched holds", async () => {
    const { store } = await lived(makeStore);
    const verdict = await store.accounts.verifyAudit();
    const last = (await everything(store)).at(-1);
    expect(verdict).toEqual({ rows: 16, head: { seq: 16, hash: last?.hash } });
  });

  test("[AD8] an audit that was set back tells of it, and the one that holds of nothing (abuse 187)", async () => {
    const { store } = await lived(makeStore);
    const { accounts } = store;
    const end = await accounts.auditEnd();
    expect(end).toEqual((await accounts.verifyAudit()).head);
    const first = (await everything(store))[0];
    const { seq = 0, hash = "" } = first ?? {};
    for (const known of [end, { seq, hash }, { seq: 0, hash: "" }]) {
      expect(await accounts.compareAudit(known, 70)).toBe("holds");
    }
    expect(await accounts.auditEnd()).toEqual(end);
    expect(await accounts.compareAudit({ seq: 99, hash: end.hash }, 70)).toBe("missing");
    expect(await accounts.compareAudit({ seq: 3, hash: end.hash }, 71)).toBe("other");
    const told = (await everything(store)).slice(-2);
    expect(told).toMatchObject([
      { event: "audit-set-back", at: 70, details: { seq: 99, row: "missing" } },
      { event: "audit-set-back", at: 71, details: { seq: 3, row: "other" } },
    ]);
    expect(told.flatMap(({ user }) => user ?? [])).toEqual([]);
    expect((await accounts.verifyAudit()).brokenAt).toBeUndefined();
  });

  test("[AD1] 200 changes at once are one chain (abuse 140)", async () => {
    const { store } = await claimed(makeStore);
    const changes = Array.from({ length: 200 }, (_, index) => {
      const id = `ns_${index}` as NamespaceId;
      const made = { asking: laptop, id, name: `n${index}`, mark: "mark0", network };
      return store.accounts.createNamespace(made);
    });
    await Promise.all(changes);
    const verdict = await store.accounts.verifyAudit();
    expect(verdict).toMatchObject({ rows: 202, head: { seq: 202 } });
    expect(verdict.brokenAt).toBeUndefined();
  });

  test("[AD2] five wrong setup secrets within a minute are one row, and the next minute's another", async () => {
    const { store, clock } = await opened(makeStore);
    const wrong = (): Promise<unknown> =>
      store.accounts.claim({ ...setup(clock), secretHash: "x" });
    for (let round = 0; round < 7; round += 1) await wrong();
    clock.ms += 61_000;
    for (let round = 0; round < 5; round += 1) await wrong();
    await store.accounts.claim(setup(clock));
    const rows = await everything(store);
    expect(rows.slice(0, 3)).toMatchObject([
      { event: "setup-refused", network, details: { count: 5 } },
      { event: "setup-refused", at: startMs + 61_000 },
      { event: "server-claimed" },
    ]);
  });
}

function readContract(makeStore: MakeStore): void {
  test("[AD4] the owner reads all of it, an admin their namespace's, and nobody else", async () => {
    const { store } = await lived(makeStore);
    const { accounts } = store;
    const team = "ns_team" as NamespaceId;
    const phone = "dev_phone" as DeviceId;
    const ask = (asking: DeviceId, namespace?: NamespaceId) =>
      accounts.audit({ asking, namespace, before: undefined, limit: 100 });
    const own = await ask(laptop, team);
    expect(own.ok && own.value.items.map(({ event }) => event)).toEqual([
      "member-removed",
      "role-changed",
      "invite-accepted",
      "link-used",
      "link-made",
      "namespace-created",
    ]);
    const invited = { ...link("l3", "invite"), namespace: team, role: "writer" } as const;
    await accounts.createLink(invited, network);
    await accounts.acceptInvite({ ...opening("phone"), id: "l3", device: phone });
    expect(await ask(phone, team)).toEqual({ ok: false, error: { kind: "forbidden" } });
    expect(await ask(phone)).toEqual({ ok: false, error: { kind: "forbidden" } });
    const elsewhere = { ok: false, error: { kind: "not-found" } };
    expect(await ask(phone, "ns_owner" as NamespaceId)).toEqual(elsewhere);
    expect(await ask(phone, "ns_none" as NamespaceId)).toEqual(elsewhere);
    expect(await ask(laptop, "ns_none" as NamespaceId)).toEqual(elsewhere);
    const gone = "dev_desktop" as DeviceId;
    expect(await ask(gone)).toEqual({ ok: false, error: { kind: "forbidden" } });
    expect(await ask(gone, team)).toEqual(elsewhere);
  });

  test("[AD4] pages follow one another, newest first, without a row twice or none", async () => {
    const { store } = await lived(makeStore);
    const seen: number[] = [];
    let before: number | undefined;
    for (;;) {
      const page = await store.accounts.audit({
        asking: laptop,
        namespace: undefined,
        before,
        limit: 5,
      });
      if (!page.ok) throw new Error(page.error.kind);
      const { items, hasMore } = page.value;
      expect(items.length).toBeLessThanOrEqual(5);
      seen.push(...items.map(({ seq }) => seq));
      before = items.at(-1)?.seq;
      if (!hasMore) break;
    }
    expect(seen).toEqual(Array.from({ length: 16 }, (_, index) => 16 - index));
  });

  test("[AD4] a person's log has rows about their devices and by them, and no others'", async () => {
    const { store } = await lived(makeStore);
    const { accounts } = store;
    const log = async (asking: string) => {
      const query = { asking: asking as DeviceId, before: undefined, limit: 100 };
      return (await accounts.deviceLog(query)).items;
    };
    const grace = await log("dev_phone");
    expect(grace.map(({ event }) => event)).toEqual([
      "device-joined",
      "invite-accepted",
      "link-used",
    ]);
    const own = await log(laptop);
    expect(own.map(({ event }) => event)).not.toContain("invite-accepted");
    expect(own.map(({ event }) => event)).toContain("device-revoked");
    expect(await log("dev_desktop")).toEqual([]);
  });

  test("[AD5] all devices of a person are told of new and lost ones, since they came themselves", async () => {
    const { store, clock } = await lived(makeStore);
    const { accounts } = store;
    const news = async (asking: string) => await accounts.news(asking as DeviceId);
    expect(await news(laptop)).toMatchObject([
      { event: "device-revoked", device: "dev_desktop", by: laptop, network, at: startMs },
      { event: "device-joined", device: "dev_desktop", details: { approvedBy: "laptop" } },
      { event: "device-joined", device: laptop, details: { by: "setup" } },
    ]);
    expect(await news("dev_phone")).toMatchObject([{ device: "dev_phone" }]);
    expect(await news("dev_desktop")).toEqual([]);
    clock.ms += 1;
    await accounts.createLink(link("l4", "device"), network);
    await accounts.redeemLink({ id: "l4", ...opening("tablet", clock), user: undefined });
    expect(await news("dev_tablet")).toMatchObject([{ device: "dev_tablet" }]);
    expect(await news(laptop)).toHaveLength(4);
  });
}

function counterContract(makeStore: MakeStore): void {
  test("[AU16] a counter rises; one that does not is refused and told of once an hour (abuse 55)", async () => {
    const { store, clock } = await claimed(makeStore);
    const show = (counter: number) =>
      store.accounts.showCounter({ device: laptop, counter, nowMs: clock.ms, network });
    expect(await show(5)).toEqual({ kind: "shown" });
    expect(await show(5)).toEqual({ kind: "behind", counter: 5 });
    expect(await show(4)).toEqual({ kind: "behind", counter: 5 });
    expect(await show(1_000)).toEqual({ kind: "shown" });
    clock.ms += 3_600_001;
    expect(await show(7)).toEqual({ kind: "behind", counter: 1_000 });
    const copied = (await everything(store)).filter(({ event }) => event === "key-copied");
    expect(copied).toMatchObject([
      { at: startMs, about: { id: owner }, target: laptop, network, details: { name: "laptop" } },
      { at: startMs + 3_600_001 },
    ]);
    expect((await store.accounts.news(laptop))[0]).toMatchObject({ event: "key-copied" });
    expect((await store.accounts.verifyAudit()).brokenAt).toBeUndefined();
  });

  test("[AU16] of many equal counters at once one passes, and one row tells of the others", async () => {
    const { store, clock } = await claimed(makeStore);
    const shown = { device: laptop, counter: 9, nowMs: clock.ms, network };
    const verdicts = await Promise.all(
      Array.from({ length: 8 }, () => store.accounts.showCounter(shown)),
    );
    expect(verdicts.filter(({ kind }) => kind === "shown")).toHaveLength(1);
    expect(verdicts.filter(({ kind }) => kind === "behind")).toHaveLength(7);
    const rows = await everything(store);
    expect(rows.filter(({ event }) => event === "key-copied")).toHaveLength(1);
  });

  test("[AU16] a device that is revoked or not there shows nothing, and nothing is written", async () => {
    const { store, clock } = await lived(makeStore);
    const count = (await everything(store)).length;
    for (const device of ["dev_desktop", "dev_none"] as DeviceId[]) {
      const shown = { device, counter: 1, nowMs: clock.ms, network };
      expect(await store.accounts.showCounter(shown)).toEqual({ kind: "unknown" });
    }
    expect(await everything(store)).toHaveLength(count);
  });
}

interface World {
  readonly store: Store;
  readonly clock: { ms: number; nowMs(): number };
}

async function opened(makeStore: MakeStore): Promise<World> {
  const clock = {
    ms: startMs,
    nowMs: () => clock.ms,
  };
  const store = await makeStore(clock);
  await store.accounts.server(() => "srv");
  await store.accounts.saveSetupSecret("hash", startMs + 3_600_000);
  return { store, clock };
}

async function claimed(makeStore: MakeStore): Promise<World> {
  const world = await opened(makeStore);
  const made = await world.store.accounts.claim(setup(world.clock));
  expect(made.ok).toBe(true);
  return world;
}

function setup(clock: { nowMs(): number }): Parameters<Store["accounts"]["claim"]>[0] {
  const nowMs = clock.nowMs();
  return { secretHash: "hash", nowMs, user: user("owner"), device: device("laptop"), network };
}

/** All rows, oldest first. */
async function everything(store: Store) {
  const page = await store.accounts.audit({
    asking: laptop,
    namespace: undefined,
    before: undefined,
    limit: 1_000,
  });
  if (!page.ok) throw new Error(page.error.kind);
  return page.value.items.toReversed();
}

function opening(name: string, clock: { nowMs(): number } = { nowMs: () => startMs }) {
  const nowMs = clock.nowMs();
  return { authHash: "auth", mac: "mac", nowMs, device: device(name), network } as const;
}

function device(name: string): AdmittedDevice {
  return {
    id: `dev_${name}` as DeviceId,
    name,
    platform: "linux x64",
    key: { kty: "OKP", crv: "Ed25519", x: `x of ${name}` },
    thumbprint: `thumbprint of ${name}`,
  };
}

function user(name: string): AdmittedUser {
  return {
    id: `usr_${name}` as UserId,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    personal: { id: `ns_${name}` as NamespaceId, name: "personal", mark: "mark0" },
  };
}

function link(id: string, kind: LinkRow["kind"]): LinkRow {
  return {
    id,
    kind,
    authHash: "auth",
    createdBy: owner,
    createdByDevice: laptop,
    namespace: undefined,
    role: undefined,
    expiresAtMs: startMs + 3_600_000,
  };
}
