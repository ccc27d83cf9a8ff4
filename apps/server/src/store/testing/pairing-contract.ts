import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore, AdmittedDevice, AdmittedUser, LinkRow } from "../accounts-port.ts";
import type { NewPairing } from "../pairings-port.ts";
import type { Store } from "../port.ts";

/** What the contract of accounts gives this one: a claimed store, and devices and people by name. */
export interface ContractWorld {
  /** A server that `usr_owner` has claimed at 50 with `dev_laptop`. */
  claimed(): Promise<Store>;
  device(name: string): AdmittedDevice;
  /** A team namespace of the owner's. */
  team(accounts: AccountStore): Promise<NamespaceId>;
  user(name: string): AdmittedUser;
  /** An invite or device link of the owner's. */
  link(name: string, kind: "device" | "invite"): LinkRow;
}

interface Invited {
  readonly namespace: NamespaceId;
  readonly role: "reader" | "writer" | "admin";
  readonly nowMs: number;
}

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const minuteMs = 60_000;
const network = "203.0.113.0/24";

/** Requests of devices that show a code, and links for machines: what every store does. */
export function pairingContract(world: ContractWorld): void {
  codeContract(world);
  guessContract(world);
  fleetContract(world);
}

function pairing(world: ContractWorld, name: string, given: Partial<NewPairing> = {}): NewPairing {
  return {
    id: `pair_${name}`,
    pollHash: `hash of ${name}`,
    code: `CODE${name}`,
    device: world.device(name),
    mac: "mac",
    salt: "salt",
    network,
    nowMs: 100,
    expiresAtMs: 400,
    ...given,
  };
}

/** Lets a person in with an invite to a namespace, as `usr_<name>` with `dev_<name>`. */
async function invite(
  world: ContractWorld,
  accounts: AccountStore,
  name: string,
  at: Invited,
): Promise<void> {
  const { namespace, role, nowMs } = at;
  const id = `inv_${name}`;
  await accounts.createLink({ ...world.link(id, "invite"), namespace, role, expiresAtMs: 1e9 });
  const newcomer = { mac: "mac", nowMs, device: world.device(name), user: world.user(name) };
  const made = await accounts.redeemLink({ id, authHash: "auth", ...newcomer });
  expect(made).toMatchObject({ ok: true });
}

type Decision = "approved" | "denied";

/** The calls of one store, with what most tests leave alone. */
function callsOf({ accounts }: Store) {
  return {
    look: (code: string, nowMs = 150, asking = laptop) =>
      accounts.lookUpPairing({ asking, code, network, nowMs }),
    decide: (name: string, decision: Decision, nowMs = 150, asking = laptop) =>
      accounts.decidePairing({ asking, id: `pair_${name}`, decision, network, nowMs }),
    poll: (name: string, given: { nowMs?: number; thumbprint?: string; pollHash?: string } = {}) =>
      accounts.pollPairing({
        id: `pair_${name}`,
        pollHash: `hash of ${name}`,
        thumbprint: `print_${name}`,
        network,
        nowMs: 160,
        ...given,
      }),
  };
}

function codeContract(world: ContractWorld): void {
  test("[PR1] [PR4] a code is looked up, approved once and redeemed once (abuse 14)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { look, decide, poll } = callsOf(store);
    expect(await accounts.startPairing(pairing(world, "desk"))).toEqual({ ok: true });
    expect(await look("CODEdesk")).toEqual({
      ok: true,
      value: {
        id: "pair_desk",
        name: "desk",
        platform: "linux",
        thumbprint: "print_desk",
        mac: "mac",
        salt: "salt",
        network,
        createdAtMs: 100,
        expiresAtMs: 400,
      },
    });
    expect(await poll("desk")).toEqual({ kind: "pending" });
    expect(await poll("desk", { pollHash: "another" })).toEqual({ kind: "unknown" });
    expect(await decide("desk", "approved")).toEqual({ ok: true });
    expect(await decide("desk", "approved")).toMatchObject({ error: { kind: "pair-not-pending" } });
    expect(await look("CODEdesk")).toMatchObject({ error: { kind: "invalid-or-expired" } });
    // Somebody who has the secret and not the key changes nothing (abuse 16).
    expect(await poll("desk", { thumbprint: "print_eve" })).toEqual({ kind: "wrong-key" });
    expect(await accounts.devices(laptop)).toHaveLength(1);
    const both = await Promise.all([poll("desk"), poll("desk")]);
    const admitted = {
      kind: "admitted",
      pair: { user: { id: owner, name: "Olga" }, device: { id: "dev_desk", name: "desk" } },
      approvedBy: { id: laptop, name: "laptop" },
      isNameShared: false,
    };
    expect(both).toContainEqual({ ...admitted, isRepeat: false });
    expect(both).toContainEqual({ ...admitted, isRepeat: true });
    expect(await accounts.devices(laptop)).toHaveLength(2);
  });

  test("[PR4] whoever lost the answer is told it again, with secret and key, until it is swept", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    await accounts.startPairing(pairing(world, "desk"));
    await decide("desk", "approved");
    const { isRepeat: _, ...told } = { isRepeat: false, ...(await poll("desk")) };
    const rows = (await accounts.verifyAudit()).rows;
    expect(await poll("desk", { nowMs: 500 })).toEqual({ ...told, isRepeat: true });
    expect(await poll("desk", { thumbprint: "print_eve" })).toEqual({ kind: "wrong-key" });
    expect(await poll("desk", { pollHash: "another" })).toEqual({ kind: "unknown" });
    expect(await poll("desk", { nowMs: 400 + 5 * minuteMs })).toEqual({ kind: "unknown" });
    expect((await accounts.verifyAudit()).rows).toBe(rows);
    expect(await accounts.devices(laptop)).toHaveLength(2);
    await accounts.revokeDevice({ asking: laptop, id: "dev_desk" as DeviceId, isForced: true });
    expect(await poll("desk")).toEqual({ kind: "denied" });
  });

  test("[PR4] a request that was redeemed takes no place from those that wait", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    for (const name of ["a", "b", "c", "d"]) {
      expect(await accounts.startPairing(pairing(world, name))).toEqual({ ok: true });
      await decide(name, "approved");
      expect(await poll(name)).toMatchObject({ kind: "admitted" });
    }
  });

  test("[PR12] whoever is let in hears whether somebody else has its person's name", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    const shared = await world.team(accounts);
    await accounts.createLink({
      ...world.link("inv", "invite"),
      namespace: shared,
      role: "reader",
      expiresAtMs: 1e9,
    });
    const eve = { ...world.user("eve"), name: " OLGA" };
    const newcomer = { mac: "mac", nowMs: 60, device: world.device("eve"), user: eve };
    await accounts.redeemLink({ id: "inv", authHash: "auth", ...newcomer });
    await accounts.startPairing(pairing(world, "desk"));
    await decide("desk", "approved");
    expect(await poll("desk")).toMatchObject({ isNameShared: true });
    expect(await poll("desk")).toMatchObject({ isNameShared: true, isRepeat: true });
  });

  test("[PR5] a device that is new makes no link for devices, and may invite", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    // The store's own clock says when a link is made, and is far from a quarter of an hour past this.
    const nowMs = 1_000;
    await accounts.startPairing(pairing(world, "desk", { nowMs, expiresAtMs: nowMs + 500 }));
    await decide("desk", "approved", nowMs + 1);
    await poll("desk", { nowMs: nowMs + 100 });
    const by = { createdByDevice: "dev_desk" as DeviceId };
    const namespace = await world.team(accounts);
    const refused = { error: { kind: "approver-too-new" } };
    expect(await accounts.createLink({ ...world.link("own", "device"), ...by })).toMatchObject(
      refused,
    );
    expect(await accounts.createLink({ ...ciLink(namespace), ...by })).toMatchObject(refused);
    expect(await accounts.linkState({ asking: laptop, id: "own", nowMs })).toBeUndefined();
    const invitation = {
      ...world.link("inv", "invite"),
      namespace,
      role: "reader",
      ...by,
    } as const;
    expect(await accounts.createLink(invitation)).toEqual({ ok: true });
    expect(await accounts.createLink(world.link("old", "device"))).toEqual({ ok: true });
  });

  test("[PR4] of an approval and a denial at one moment one counts, a hundred times (abuse 13)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    for (let round = 0; round < 100; round += 1) {
      const name = `r${round}`;
      await accounts.startPairing(pairing(world, name));
      const ends = await Promise.all([decide(name, "approved"), decide(name, "denied")]);
      const approved = ends[0].ok;
      expect(ends[1].ok).toBe(!approved);
      const state = await poll(name);
      expect(state.kind).toBe(approved ? "admitted" : "denied");
      // It no longer waits, and must not stand in the way of the next one.
      await accounts.sweepPairings(1_000_000);
    }
  });

  test("[PR4] a request that has expired or was denied is over (abuse 12, 27)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { look, decide, poll } = callsOf(store);
    await accounts.startPairing(pairing(world, "desk"));
    expect(await decide("desk", "approved", 400)).toMatchObject({
      error: { kind: "pair-not-pending" },
    });
    expect(await look("CODEdesk", 400)).toMatchObject({ error: { kind: "invalid-or-expired" } });
    expect(await poll("desk", { nowMs: 400 })).toEqual({ kind: "expired" });
    expect(await decide("desk", "denied")).toEqual({ ok: true });
    expect(await decide("desk", "approved")).toMatchObject({ error: { kind: "pair-not-pending" } });
    expect(await poll("desk")).toEqual({ kind: "denied" });
    expect(await decide("nobody", "approved")).toMatchObject({
      error: { kind: "pair-not-pending" },
    });
    await accounts.sweepPairings(400 + 5 * minuteMs);
    expect(await poll("desk")).toEqual({ kind: "unknown" });
    expect(await accounts.devices(laptop)).toHaveLength(1);
  });

  test("[PR4] an approval dies with the device that gave it", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    await accounts.startPairing(pairing(world, "desk"));
    await decide("desk", "approved");
    await accounts.revokeDevice({ asking: laptop, id: laptop, isForced: true });
    expect(await poll("desk")).toEqual({ kind: "denied" });
    expect(await decide("desk", "approved")).toMatchObject({ error: { kind: "device-revoked" } });
    expect(await accounts.devices(laptop)).toHaveLength(1);
  });

  test("[PR1] one code waits once, and a code that is over is free again (abuse 25)", async () => {
    const { accounts } = await world.claimed();
    const same = { code: "BCDFGHJK" };
    const taken = { error: { kind: "code-taken" } };
    const ends = await Promise.all([
      accounts.startPairing(pairing(world, "a", same)),
      accounts.startPairing(pairing(world, "b", same)),
    ]);
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(ends).toContainEqual({ ok: false, ...taken });
    const late = { ...same, nowMs: 400, expiresAtMs: 700 };
    expect(await accounts.startPairing(pairing(world, "c", late))).toEqual({ ok: true });
  });

  test("[PR1] three requests wait from one network, a hundred in all; a device has one", async () => {
    const { accounts } = await world.claimed();
    const many = { error: { kind: "too-many" } };
    const near = await Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => accounts.startPairing(pairing(world, name))),
    );
    expect(near.filter(({ ok }) => ok)).toHaveLength(3);
    expect(near).toContainEqual({ ok: false, ...many });
    const first = ["a", "b", "c", "d", "e"].find((_, index) => near[index]?.ok) ?? "";
    const again = pairing(world, first, { id: "pair_again", code: "AGAIN" });
    expect(await accounts.startPairing(again)).toEqual({ ok: true });
    for (let count = 3; count < 100; count += 1) {
      const far = { network: `10.0.${count}.0/24` };
      expect(await accounts.startPairing(pairing(world, `far${count}`, far))).toEqual({ ok: true });
    }
    const last = { network: "10.1.0.0/24" };
    expect(await accounts.startPairing(pairing(world, "last", last))).toMatchObject(many);
  });

  test("[PR1] [AU2] a key that the server knows, also of a revoked device, starts nothing (abuse 28)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    const known = { error: { kind: "key-in-use" } };
    expect(await accounts.startPairing(pairing(world, "laptop"))).toMatchObject(known);
    await accounts.startPairing(pairing(world, "desk"));
    await decide("desk", "approved");
    await poll("desk");
    await accounts.revokeDevice({ asking: laptop, id: "dev_desk" as DeviceId, isForced: true });
    expect(await accounts.startPairing(pairing(world, "desk"))).toMatchObject(known);
  });

  test("[PR5] a device that is new lets nobody in, unless the server has none before it (abuse 20)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { decide, poll } = callsOf(store);
    await accounts.startPairing(pairing(world, "desk"));
    expect(await decide("desk", "approved", 150)).toEqual({ ok: true });
    await poll("desk", { nowMs: 200 });
    const desk = "dev_desk" as DeviceId;
    const later = 200 + 15 * minuteMs;
    const live = { nowMs: later - 10, expiresAtMs: later + 500 };
    await accounts.startPairing(pairing(world, "phone", live));
    expect(await decide("phone", "approved", later - 1, desk)).toMatchObject({
      error: { kind: "approver-too-new" },
    });
    // A no is everybody's who knows the code.
    expect(await decide("phone", "approved", later, desk)).toEqual({ ok: true });
    await accounts.startPairing(pairing(world, "tv", live));
    expect(await decide("tv", "denied", later - 1, desk)).toEqual({ ok: true });
  });
}

function guessContract(world: ContractWorld): void {
  const wrong = { error: { kind: "invalid-or-expired" } };

  test("[PR6] five wrong codes lock a person out for an hour, the right code too (abuse 9)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { look, decide } = callsOf(store);
    const shared = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace: shared, role: "reader", nowMs: 60 });
    await accounts.startPairing(pairing(world, "desk", { expiresAtMs: 100 + 62 * minuteMs }));
    const guesses = await Promise.all(
      ["A", "B", "C", "D", "E", "F", "G"].map((code) => look(code)),
    );
    expect(
      guesses.filter((guess) => !guess.ok && guess.error.kind === "invalid-or-expired"),
    ).toHaveLength(5);
    const locked = { error: { kind: "approvals-locked", untilMs: 150 + 60 * minuteMs } };
    expect(await look("CODEdesk")).toMatchObject(locked);
    expect(await decide("desk", "approved")).toMatchObject(locked);
    expect(await look("CODEdesk", 150, "dev_bob" as DeviceId)).toMatchObject({ ok: true });
    expect(await look("CODEdesk", 150 + 60 * minuteMs)).toMatchObject({ ok: true });
  });

  test("[PR6] twenty wrong codes within a day lock too, however slowly they come (abuse 9)", async () => {
    const { look } = callsOf(await world.claimed());
    for (let count = 0; count < 20; count += 1) {
      expect(await look("A", 200 + count * 5 * minuteMs)).toMatchObject(wrong);
    }
    expect(await look("A", 200 + 100 * minuteMs)).toMatchObject({
      error: { kind: "approvals-locked" },
    });
  });

  test("[PR6] sixty-one wrong codes within a minute pause all codes for ten, and no link (abuse 10)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { look, decide } = callsOf(store);
    const shared = await world.team(accounts);
    await accounts.startPairing(pairing(world, "desk", { expiresAtMs: 100 + 20 * minuteMs }));
    for (let count = 0; count < 61; count += 1) {
      const name = `p${count}`;
      if (count % 4 === 0) {
        await invite(world, accounts, name, { namespace: shared, role: "reader", nowMs: 60 });
      }
      const asking = `dev_p${count - (count % 4)}` as DeviceId;
      expect(await look("A", 150, asking)).toMatchObject(wrong);
    }
    const paused = { error: { kind: "pairing-paused", untilMs: 150 + 10 * minuteMs } };
    expect(await look("CODEdesk")).toMatchObject(paused);
    expect(await decide("desk", "approved")).toMatchObject(paused);
    expect(await accounts.startPairing(pairing(world, "phone"))).toMatchObject(paused);
    await invite(world, accounts, "late", { namespace: shared, role: "reader", nowMs: 60 });
    expect(await look("CODEdesk", 150 + 10 * minuteMs)).toMatchObject({ ok: true });
  });

  test("[PR10] ten wrong secrets burn a link, and nothing is burnt by a wrong id (abuse 30)", async () => {
    const { accounts } = await world.claimed();
    const link = { ...ciLink(undefined), kind: "device", id: "link1", role: undefined } as const;
    await accounts.createLink(link);
    await accounts.createLink({ ...link, id: "link2" });
    const redeem = (id: string, authHash: string, name = "desk") =>
      accounts.redeemLink({
        id,
        authHash,
        mac: "mac",
        nowMs: 5,
        device: world.device(name),
        user: undefined,
      });
    for (let count = 0; count < 10; count += 1) {
      expect(await redeem("link1", "guess")).toMatchObject(wrong);
      expect(await redeem("nothing", "guess")).toMatchObject(wrong);
      if (count < 9) expect(await redeem("link2", "guess")).toMatchObject(wrong);
    }
    expect(await redeem("link1", "auth")).toMatchObject(wrong);
    expect(await accounts.linkState({ asking: laptop, id: "link1", nowMs: 5 })).toEqual({
      status: "expired",
    });
    expect(await redeem("link2", "auth", "phone")).toMatchObject({ ok: true });
    expect(await accounts.devices(laptop)).toHaveLength(2);
    const { items } = await accounts.deviceLog({ asking: laptop, before: undefined, limit: 99 });
    const burnt = items.filter(({ event }) => event === "link-revoked");
    expect(burnt).toMatchObject([{ target: "link1", details: { kind: "device", guesses: 10 } }]);
  });

  test("[PR10] fifty links of a person are open at once, and no more until some have ended", async () => {
    const { accounts } = await world.claimed();
    const make = (id: string) =>
      accounts.createLink({ ...world.link(id, "device"), expiresAtMs: Number.MAX_SAFE_INTEGER });
    for (let count = 0; count < 50; count += 1) {
      expect(await make(`open${count}`)).toEqual({ ok: true });
    }
    const rows = (await accounts.verifyAudit()).rows;
    expect(await make("one more")).toMatchObject({ error: { kind: "too-many-links" } });
    expect((await accounts.verifyAudit()).rows).toBe(rows);
    const end = { asking: laptop, withDevices: false, network, nowMs: 6 };
    await accounts.revokeLink({ ...end, id: "open7" });
    expect(await make("one more")).toEqual({ ok: true });
  });
}

function ciLink(namespace: NamespaceId | undefined): LinkRow {
  return {
    id: "fleet1",
    kind: "ci",
    authHash: "auth",
    createdBy: owner,
    createdByDevice: laptop,
    namespace,
    role: "writer",
    expiresAtMs: 1000,
  };
}

function fleetContract(world: ContractWorld): void {
  const redeemWith =
    (accounts: AccountStore) =>
    (name: string, nowMs = 5) =>
      accounts.redeemLink({
        id: "fleet1",
        authHash: "auth",
        mac: "mac",
        nowMs,
        device: world.device(name),
        user: undefined,
      });
  const over = { error: { kind: "invalid-or-expired" } };

  test("[PR8] a link for machines lets in as many as it says, also at one moment (abuse 33)", async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await accounts.createLink({ ...ciLink(namespace), usesMax: 3 });
    const redeem = redeemWith(accounts);
    expect(await redeem("laptop")).toMatchObject({ error: { kind: "key-in-use" } });
    const ends = await Promise.all(["a", "b", "c", "d", "e"].map((name) => redeem(name)));
    expect(ends.filter(({ ok }) => ok)).toHaveLength(3);
    expect(ends.filter(({ ok }) => !ok)).toEqual([
      { ok: false, ...over },
      { ok: false, ...over },
    ]);
    expect(await accounts.devices(laptop)).toHaveLength(4);
    expect(await accounts.linkState({ asking: laptop, id: "fleet1", nowMs: 5 })).toEqual({
      status: "used",
    });
  });

  test("[PR8] such a link dies with its time, its maker's device and its maker's role (abuse 32, 33, 35)", async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace, role: "writer", nowMs: 60 });
    const bob = { createdBy: "usr_bob" as UserId, createdByDevice: "dev_bob" as DeviceId };
    await accounts.createLink({ ...ciLink(namespace), ...bob, usesMax: 9 });
    const redeem = redeemWith(accounts);
    expect(await redeem("late", 1000)).toMatchObject(over);
    expect(await redeem("a")).toMatchObject({ ok: true });
    const asOwner = { device: laptop, namespace };
    await accounts.setRole(asOwner, bob.createdBy, "reader");
    expect(await redeem("b")).toMatchObject(over);
    await accounts.setRole(asOwner, bob.createdBy, "admin");
    expect(await redeem("c")).toMatchObject({ ok: true });
    await accounts.revokeDevice({
      asking: bob.createdByDevice,
      id: bob.createdByDevice,
      isForced: true,
    });
    expect(await redeem("d")).toMatchObject(over);
  });

  test("[PR10] an invite that is ended shuts out nobody who came in by it", async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace, role: "writer", nowMs: 60 });
    const bob = "dev_bob" as DeviceId;
    const end = { id: "inv_bob", withDevices: true, network, nowMs: 70 };
    expect(await accounts.revokeLink({ ...end, asking: laptop })).toEqual([]);
    expect(await accounts.device(bob)).toMatchObject({ status: "active" });
    const lost = (await accounts.news(laptop)).filter(({ event }) => event === "device-revoked");
    expect(lost).toEqual([]);
    expect(await accounts.revokeLink({ ...end, asking: bob })).toBeUndefined();
  });

  test("[PR10] admins see and end what lets machines into their namespace, and nobody else's links", async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace, role: "writer", nowMs: 60 });
    const bob = { createdBy: "usr_bob" as UserId, createdByDevice: "dev_bob" as DeviceId };
    await accounts.createLink({ ...ciLink(namespace), ...bob, usesMax: 3 });
    await accounts.createLink({ ...world.link("bobs", "device"), ...bob });
    await redeemWith(accounts)("box");
    const listed = (await accounts.links(laptop, 5)).filter(({ maker }) => maker !== undefined);
    expect(listed).toMatchObject([{ id: "fleet1", devices: 1, maker: { id: bob.createdBy } }]);
    const end = { asking: laptop, withDevices: true, network, nowMs: 6 };
    expect(await accounts.revokeLink({ ...end, id: "bobs" })).toBeUndefined();
    await accounts.setRole({ device: laptop, namespace }, bob.createdBy, "admin");
    expect(await accounts.revokeLink({ ...end, id: "fleet1" })).toEqual(["dev_box"]);
    const { items } = await accounts.deviceLog({
      asking: bob.createdByDevice,
      before: undefined,
      limit: 2,
    });
    expect(items).toMatchObject([
      { event: "device-revoked", target: "dev_box", about: { id: bob.createdBy } },
      { event: "link-revoked", target: "fleet1", about: { id: bob.createdBy } },
    ]);
    // What ends nothing is not written.
    const rows = (await accounts.verifyAudit()).rows;
    expect(await accounts.revokeLink({ ...end, id: "fleet1" })).toEqual([]);
    expect((await accounts.verifyAudit()).rows).toBe(rows);
  });

  test("[PR9] a machine makes no link, looks no code up and decides about none in the store too", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const { look, decide } = callsOf(store);
    const namespace = await world.team(accounts);
    await accounts.createLink({ ...ciLink(namespace), usesMax: 9 });
    await redeemWith(accounts)("box");
    const box = "dev_box" as DeviceId;
    const gone = { error: { kind: "device-revoked" } };
    await accounts.startPairing(pairing(world, "desk"));
    expect(await look("CODEdesk", 150, box)).toMatchObject(gone);
    expect(await decide("desk", "approved", 150, box)).toMatchObject(gone);
    expect(await decide("desk", "denied", 150, box)).toMatchObject(gone);
    const own = { ...world.link("own", "device"), createdByDevice: box };
    expect(await accounts.createLink(own)).toMatchObject(gone);
    const end = { asking: box, withDevices: true, network, nowMs: 6 };
    expect(await accounts.revokeLink({ ...end, id: "fleet1" })).toBeUndefined();
    expect(await accounts.identity(box)).toMatchObject({ device: { id: box } });
  });

  test("[PR9] a machine has one namespace, and there the lower of two roles", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const namespace = await world.team(accounts);
    const personal = (await accounts.namespaces(laptop)).find(({ kind }) => kind === "personal");
    await accounts.createLink({ ...ciLink(namespace), usesMax: 9 });
    await redeemWith(accounts)("box");
    const box = "dev_box" as DeviceId;
    const access = (id: NamespaceId | undefined) =>
      store.readNamespace(id as NamespaceId, (tx) => tx.access(box));
    expect(await accounts.device(box)).toMatchObject({ kind: "ci", user: owner });
    expect(await accounts.device(laptop)).toMatchObject({ kind: "person" });
    expect(await accounts.namespaces(box)).toMatchObject([{ id: namespace, role: "writer" }]);
    expect(await access(namespace)).toEqual({ user: owner, role: "writer" });
    expect(await access(personal?.id)).toBeUndefined();
    const members = (id: NamespaceId | undefined) =>
      accounts.members({ device: box, namespace: id as NamespaceId });
    expect(await members(namespace)).toMatchObject({ ok: true });
    expect(await members(personal?.id)).toMatchObject({ error: { kind: "not-found" } });
    expect(await accounts.devices(laptop)).toContainEqual(
      expect.objectContaining({
        id: box,
        kind: "ci",
        link: "fleet1",
        namespace,
        roleMax: "writer",
      }),
    );
  });

  test("[PR9] a machine loses its rights with its person, and never has more", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const namespace = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace, role: "writer", nowMs: 60 });
    const bob = { createdBy: "usr_bob" as UserId, createdByDevice: "dev_bob" as DeviceId };
    await accounts.createLink({ ...ciLink(namespace), ...bob });
    await redeemWith(accounts)("box");
    const role = async () =>
      (await store.readNamespace(namespace, (tx) => tx.access("dev_box" as DeviceId)))?.role;
    const asOwner = { device: laptop, namespace };
    for (const [given, held] of [
      ["admin", "writer"],
      ["reader", "reader"],
    ] as const) {
      await accounts.setRole(asOwner, bob.createdBy, given);
      expect(await role()).toBe(held);
      const [listed] = await accounts.namespaces("dev_box" as DeviceId);
      expect(listed?.role).toBe(held);
    }
    await accounts.removeMember(asOwner, bob.createdBy);
    expect(await role()).toBeUndefined();
    expect(await accounts.namespaces("dev_box" as DeviceId)).toEqual([]);
  });

  test("[PR10] open links are listed to their maker, and revoked with or without their devices", async () => {
    const { accounts } = await world.claimed();
    const namespace = await world.team(accounts);
    await invite(world, accounts, "bob", { namespace, role: "writer", nowMs: 60 });
    await accounts.createLink({ ...ciLink(namespace), usesMax: 3 });
    const redeem = redeemWith(accounts);
    await redeem("a");
    await redeem("b");
    const info = {
      id: "fleet1",
      kind: "ci",
      namespace,
      role: "writer",
      status: "open",
      uses: 2,
      usesMax: 3,
      expiresAt: 1000,
      devices: 2,
    };
    const list = async (nowMs = 5, asking = laptop) =>
      (await accounts.links(asking, nowMs)).filter(({ kind }) => kind === "ci");
    expect(await list()).toEqual([info]);
    expect(await list(1000)).toEqual([{ ...info, status: "closed" }]);
    const bob = "dev_bob" as DeviceId;
    expect(await list(5, bob)).toEqual([]);
    const revoke = (asking: DeviceId, withDevices: boolean) =>
      accounts.revokeLink({ asking, id: "fleet1", withDevices, network, nowMs: 6 });
    expect(await revoke(bob, true)).toBeUndefined();
    expect(await list()).toEqual([info]);
    expect(await revoke(laptop, false)).toEqual([]);
    expect(await redeem("c")).toMatchObject(over);
    expect(await list()).toEqual([{ ...info, status: "closed" }]);
    expect((await revoke(laptop, true))?.toSorted()).toEqual(["dev_a", "dev_b"]);
    expect(await list()).toEqual([]);
    expect(await accounts.device("dev_a" as DeviceId)).toMatchObject({ status: "revoked" });
    expect(await accounts.device(laptop)).toMatchObject({ status: "active" });
  });
}
