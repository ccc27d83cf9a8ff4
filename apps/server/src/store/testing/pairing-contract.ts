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
    expect(both).toContainEqual({
      kind: "admitted",
      pair: { user: { id: owner, name: "Olga" }, device: { id: "dev_desk", name: "desk" } },
      approvedBy: { id: laptop, name: "laptop" },
    });
    expect(both).toContainEqual({ kind: "unknown" });
    expect(await accounts.devices(laptop)).toHaveLength(2);
    expect(await poll("desk")).toEqual({ kind: "unknown" });
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
    await accounts.revokeDevice(laptop, laptop);
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
    await accounts.revokeDevice(laptop, "dev_desk" as DeviceId);
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
    await accounts.revokeDevice(bob.createdByDevice, bob.createdByDevice);
    expect(await redeem("d")).toMatchObject(over);
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
    await invite(world, accounts, "bob", { namespace, role: "admin", nowMs: 60 });
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
