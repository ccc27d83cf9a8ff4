import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore } from "../accounts-port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const personal = "ns_personal" as NamespaceId;

/** Who may do what, and who may no more: what every store does. */
export function rightsContract(world: ContractWorld): void {
  ownersContract(world);
  revocationContract(world);
}

/** Lets a person in with an invite to a team, as `usr_<name>` with `dev_<name>`. */
async function invited(
  world: ContractWorld,
  accounts: AccountStore,
  given: { readonly name: string; readonly role: "writer" | "owner"; readonly team: NamespaceId },
): Promise<{ readonly user: UserId; readonly device: DeviceId }> {
  const { name, role, team } = given;
  const id = `inv_${name}`;
  await accounts.createLink({ ...world.link(id, "invite"), namespace: team, role });
  const opened = { id, authHash: "auth", mac: "mac", nowMs: 60 };
  const person = { device: world.device(name), user: world.user(name) };
  expect(await accounts.redeemLink({ ...opened, ...person })).toMatchObject({ ok: true });
  return { user: person.user.id, device: person.device.id };
}

/** Another device of the owner's, by a link of the laptop's. */
async function paired(
  world: ContractWorld,
  accounts: AccountStore,
  name: string,
): Promise<DeviceId> {
  const id = `link_${name}`;
  await accounts.createLink(world.link(id, "device"));
  const opened = { id, authHash: "auth", mac: "mac", nowMs: 70, user: undefined };
  const device = world.device(name);
  expect(await accounts.redeemLink({ ...opened, device })).toMatchObject({ ok: true });
  return device.id;
}

function ownersContract(world: ContractWorld): void {
  test("[NS3] of two owners who demote or remove each other at once one stays owner (abuse 95)", async () => {
    const { accounts } = await world.claimed();
    for (let round = 0; round < 8; round += 1) {
      const namespace = `ns_round${round}` as NamespaceId;
      await accounts.createNamespace({ asking: laptop, id: namespace, name: "t", mark: "mark0" });
      const bob = await invited(world, accounts, {
        name: `bob${round}`,
        role: "owner",
        team: namespace,
      });
      const asOwner = { device: laptop, namespace };
      const asBob = { device: bob.device, namespace };
      const changes = await Promise.all(
        round % 2 === 0
          ? [
              accounts.setRole(asOwner, bob.user, "writer"),
              accounts.setRole(asBob, owner, "writer"),
            ]
          : [accounts.removeMember(asOwner, owner), accounts.removeMember(asBob, bob.user)],
      );
      expect(changes.filter(({ ok }) => ok)).toHaveLength(1);
      const lists = await Promise.all([accounts.members(asOwner), accounts.members(asBob)]);
      const [members = []] = lists.flatMap((list) => (list.ok ? [list.value] : []));
      expect(members.filter(({ role }) => role === "owner")).toHaveLength(1);
    }
  });
}

function revocationContract(world: ContractWorld): void {
  test("[AU22] who shuts a device out is told what it let in, made and could read (abuse 79)", async () => {
    const { accounts } = await world.claimed();
    const team = await world.team(accounts);
    const desk = await paired(world, accounts, "desk");
    const tablet = await paired(world, accounts, "tablet");
    const gone = await paired(world, accounts, "gone");
    await accounts.revokeDevice({ asking: laptop, id: gone });
    const bob = await invited(world, accounts, { name: "bob", role: "writer", team });
    await accounts.createLink(world.link("open1", "device"));
    const invite = { ...world.link("open2", "invite"), namespace: team, role: "reader" } as const;
    await accounts.createLink({ ...invite, expiresAtMs: 200 });
    const done = await accounts.revokeDevice({ asking: desk, id: laptop });
    expect(done).toEqual({
      ok: true,
      value: {
        links: [
          { id: "open1", kind: "device" },
          { id: "open2", kind: "invite" },
        ],
        devices: [
          { id: bob.device, name: "bob", user: { id: bob.user, name: "Olga" } },
          { id: tablet, name: "tablet", user: { id: owner, name: "Olga" } },
        ],
        namespaces: [
          { id: personal, name: "personal" },
          { id: team, name: "team" },
        ],
      },
    });
    // Whose answer was lost asks again, and is told the same.
    expect(await accounts.revokeDevice({ asking: desk, id: laptop })).toEqual(done);
    const opening = { authHash: "auth", mac: "mac", nowMs: 80, user: undefined };
    for (const id of ["open1", "open2"]) {
      const late = await accounts.redeemLink({ id, ...opening, device: world.device("late") });
      expect(late).toMatchObject({ error: { kind: "invalid-or-expired" } });
    }
    expect(await accounts.device("dev_late" as DeviceId)).toBeUndefined();
  });

  test("[AU22] a device that a code let in is named to who shuts its approver out (abuse 79)", async () => {
    const { accounts } = await world.claimed();
    const desk = await paired(world, accounts, "desk");
    const shown = {
      id: "pair_1",
      pollHash: "poll",
      code: "CODE",
      device: world.device("nine"),
      mac: "mac",
      salt: "salt",
      network: "203.0.113.0/24",
      nowMs: 2_000_000,
      expiresAtMs: 2_300_000,
    };
    await accounts.startPairing(shown);
    const decided = { asking: desk, id: "pair_1", nowMs: 2_000_001, network: undefined };
    expect(await accounts.decidePairing({ ...decided, decision: "approved" })).toMatchObject({
      ok: true,
    });
    const { thumbprint } = shown.device;
    const polled = { id: "pair_1", pollHash: "poll", thumbprint, network: "203.0.113.0/24" };
    expect(await accounts.pollPairing({ ...polled, nowMs: 2_000_002 })).toMatchObject({
      kind: "admitted",
    });
    expect(await accounts.revokeDevice({ asking: laptop, id: desk })).toMatchObject({
      value: { devices: [{ id: "dev_nine", name: "nine", user: { id: owner } }] },
    });
  });

  test("[AU22] a device that is shut out renames and shuts out none of its person's devices", async () => {
    const { accounts } = await world.claimed();
    const desk = await paired(world, accounts, "desk");
    await accounts.revokeDevice({ asking: laptop, id: desk });
    expect(await accounts.renameDevice(desk, laptop, "mine")).toBe(false);
    expect(await accounts.revokeDevice({ asking: desk, id: laptop, isForced: true })).toEqual({
      ok: false,
      error: { kind: "not-found" },
    });
    expect(await accounts.device(laptop)).toMatchObject({ name: "laptop", status: "active" });
  });

  test("[AU23] a person's last device is shut out only where that is forced (abuse 80)", async () => {
    const { accounts } = await world.claimed();
    const desk = await paired(world, accounts, "desk");
    expect(await accounts.revokeDevice({ asking: laptop, id: desk })).toMatchObject({ ok: true });
    const own = { asking: laptop, id: laptop };
    expect(await accounts.revokeDevice(own)).toEqual({ ok: false, error: { kind: "last-device" } });
    expect(await accounts.device(laptop)).toMatchObject({ status: "active" });
    expect(await accounts.revokeDevice({ ...own, isForced: true })).toMatchObject({ ok: true });
    expect(await accounts.device(laptop)).toMatchObject({ status: "revoked" });
  });

  test("[AU23] of two devices that shut each other out at once one stays (abuse 80)", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { accounts } = await world.claimed();
      const desk = await paired(world, accounts, "desk");
      const both = await Promise.all([
        accounts.revokeDevice({ asking: laptop, id: desk }),
        accounts.revokeDevice({ asking: desk, id: laptop }),
      ]);
      expect(both.filter(({ ok }) => ok)).toHaveLength(1);
      const rows = await Promise.all([accounts.device(laptop), accounts.device(desk)]);
      expect(rows.filter((row) => row?.status === "active")).toHaveLength(1);
    }
  });

  test("[AU23] ending the link that a device came in by leaves the device, which may be the last", async () => {
    const { accounts } = await world.claimed();
    const desk = await paired(world, accounts, "desk");
    const end = { id: "link_desk", asking: desk, withDevices: true, network: undefined, nowMs: 80 };
    expect(await accounts.revokeLink(end)).toEqual([]);
    expect(await accounts.device(desk)).toMatchObject({ status: "active" });
  });

  test("[AU22] a push that is under way is stored before the answer to a revocation, or never (abuse 75)", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const desk = await paired(world, accounts, "desk");
    const lamport = async (): Promise<number> =>
      (await store.readNamespace(personal, (tx) => tx.head()))?.lamport ?? 0;
    const lamportBefore = await lamport();
    const order: string[] = [];
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const pushing = store.writeNamespace(personal, async (tx) => {
      const access = await tx.access(desk);
      begin();
      await released;
      const head = await tx.head();
      await tx.saveHead({ ...head, lamport: head.lamport + 1 });
      return access;
    });
    await begun;
    const onShutOut = (): number => order.push("out");
    const revoking = accounts.revokeDevice({ asking: laptop, id: desk, onShutOut });
    void revoking.then(() => order.push("revoked"));
    // It is shut out at once: only the answer waits.
    while ((await accounts.device(desk))?.status !== "revoked") await accounts.identity(laptop);
    for (let turn = 0; turn < 20; turn += 1) await accounts.identity(laptop);
    order.push("let go on");
    release();
    await revoking;
    expect(order).toEqual(["out", "let go on", "revoked"]);
    // The two answers come on connections of their own, in any order; so the store is asked.
    expect(await lamport()).toBe(lamportBefore + 1);
    expect(await pushing).toMatchObject({ user: owner });
    expect(await store.writeNamespace(personal, (tx) => tx.access(desk))).toBeUndefined();
  });

  test("[AU72] a push of a link's machine is stored before the answer to its end, also to a repeat, or never", async () => {
    const store = await world.claimed();
    const { accounts } = store;
    const team = "ns_team" as NamespaceId;
    await accounts.createNamespace({ asking: laptop, id: team, name: "team", mark: "mark" });
    const grant = { kind: "ci" as const, namespace: team, role: "writer" as const, usesMax: 2 };
    await accounts.createLink({ ...world.link("fleet", "device"), ...grant });
    const opened = { id: "fleet", authHash: "auth", mac: "mac", nowMs: 60, user: undefined };
    const box = world.device("box");
    expect(await accounts.redeemLink({ ...opened, device: box })).toMatchObject({ ok: true });
    const end = { id: "fleet", asking: laptop, withDevices: true, network: undefined, nowMs: 80 };
    const order: string[] = [];
    const during = async (work: () => Promise<readonly DeviceId[] | undefined>): Promise<void> => {
      let begin = (): void => {};
      const begun = new Promise<void>((resolve) => (begin = resolve));
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const pushing = store.writeNamespace(team, async () => {
        begin();
        await released;
      });
      await begun;
      const asked = work().then((devices) => order.push(`told ${String(devices?.join(" "))}`));
      while ((await accounts.device(box.id))?.status !== "revoked") await accounts.identity(laptop);
      for (let turn = 0; turn < 20; turn += 1) await accounts.identity(laptop);
      order.push("let go on");
      release();
      await Promise.all([asked, pushing]);
    };
    const onShutOut = (devices: readonly DeviceId[]): number => order.push(devices.join(" "));
    await during(() => accounts.revokeLink({ ...end, onShutOut }));
    await during(() => accounts.revokeLink(end));
    expect(order).toEqual([box.id, "let go on", `told ${box.id}`, "let go on", "told "]);
    // Who only ends the link shuts nobody out, and waits for nobody.
    const pushing = store.writeNamespace(team, async () => {
      expect(await accounts.revokeLink({ ...end, withDevices: false })).toEqual([]);
    });
    await pushing;
  });
}
