import type { DeviceId, NamespaceId, Role, UserId, WriterId } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { setQuarantine } from "../../domain/quarantine.ts";
import type { AccountStore } from "../accounts-port.ts";
import type { Store } from "../port.ts";
import type { DeletionWorld } from "./deletion-contract.ts";

const laptop = "dev_laptop" as DeviceId;
const personal = "ns_personal" as NamespaceId;
const network = "203.0.113.0/24";

interface Place {
  readonly store: Store;
  readonly accounts: AccountStore;
  readonly clock: { ms: number; nowMs(): number };
  readonly team: NamespaceId;
  /** Lets a person into the team. */
  readonly invite: (name: string, role: Role) => Promise<DeviceId>;
  /** Lets another device in, of the owner unless by a link that somebody else made. */
  readonly add: (name: string, by?: string) => Promise<DeviceId>;
  /** Has a device write, at the clock's time; the head is then at `seq`. */
  readonly write: (device: DeviceId, namespace: NamespaceId, seq: number) => Promise<void>;
  /** What a request does: looks where the device has written, and sets it there. */
  readonly quarantine: (input: {
    readonly asking: DeviceId;
    readonly device: DeviceId;
    readonly sinceMs: number;
  }) => Promise<readonly Suspect[]>;
  readonly events: () => Promise<readonly string[]>;
}

async function placed(world: DeletionWorld): Promise<Place> {
  const clock = { ms: 1_000, nowMs: () => clock.ms };
  const store = await world.claimedAt(clock);
  const { accounts } = store;
  const team = await world.team(accounts);
  const open = async (id: string, name: string, isNew: boolean): Promise<DeviceId> => {
    const user = isNew ? world.user(name) : undefined;
    const opening = { id, authHash: "auth", mac: "mac", nowMs: clock.ms, network };
    const device = world.device(name);
    expect(await accounts.redeemLink({ ...opening, device, user })).toMatchObject({ ok: true });
    return device.id;
  };
  return {
    store,
    accounts,
    clock,
    team,
    invite: async (name, role) => {
      const link = { ...world.link(`inv_${name}`, "invite"), namespace: team, role };
      await accounts.createLink({ ...link, expiresAtMs: 1e13 });
      return await open(link.id, name, true);
    },
    add: async (name, by) => {
      const link = { ...world.link(`add_${name}`, "device"), expiresAtMs: 1e13 };
      const maker = { createdBy: `usr_${by}` as UserId, createdByDevice: `dev_${by}` as DeviceId };
      // Past the time in which a new device makes no links.
      clock.ms += 3_600_000;
      const made = await accounts.createLink(by === undefined ? link : { ...link, ...maker });
      expect(made).toMatchObject({ ok: true });
      return await open(link.id, name, false);
    },
    write: async (device, namespace, seq) => {
      await store.writeNamespace(namespace, async (tx) => {
        const writer = `w_${device}` as WriterId;
        const row = { writer, device, acked: seq, chain: "c", since: 0, results: [] };
        await tx.saveWriters([row]);
        const head = await tx.head();
        await tx.saveHead({ ...head, head: seq, mark: `mark${seq}` });
      });
    },
    quarantine: async (input) => await setQuarantine(store, { ...input, network }),
    events: async () => {
      const query = { asking: laptop, before: undefined, limit: 100, namespace: undefined };
      const page = await accounts.audit(query);
      return (page.ok ? page.value.items : [])
        .map(({ event, namespace, target }) => `${event} ${namespace?.id} ${target}`)
        .filter((text) => text.includes("quarantine"));
    },
  };
}

/** Hiding what a device wrote (QU1 to QU4): what every store does. */
export function quarantineContract(world: DeletionWorld): void {
  test("[QU2] the time becomes a place in the store's own order, at the moment it is set", async () => {
    const { accounts, clock, team, add, write, quarantine, events } = await placed(world);
    const thinkpad = await add("thinkpad");
    clock.ms = 10_000_000;
    await write(thinkpad, team, 3);
    await write(laptop, personal, 2);
    clock.ms += 1_000;
    await write(thinkpad, team, 5);
    clock.ms += 1_000;
    const asked = { asking: laptop, device: thinkpad, network };
    const at = (since: number, aboveSeq: number) => [
      { namespace: team, device: thinkpad, aboveSeq, since },
    ];
    expect(await accounts.suspects(laptop)).toEqual([]);
    for (const [since, aboveSeq] of [
      [10_000_999, 3],
      [10_001_000, 5],
      [99_000_000, 5],
      [1, 0],
      [0, 0],
    ] as const) {
      expect(await quarantine({ ...asked, sinceMs: since })).toEqual(at(since, aboveSeq));
      expect(await accounts.suspects(laptop)).toEqual(at(since, aboveSeq));
    }
    expect(await accounts.suspects(thinkpad)).toEqual(at(0, 0));
    await quarantine({ ...asked, sinceMs: 10_000_999 });
    clock.ms += 1_000;
    await write(thinkpad, team, 9);
    expect(await accounts.suspects(laptop)).toEqual(at(10_000_999, 3));
    expect(await accounts.liftQuarantine(asked)).toEqual([team]);
    expect(await accounts.liftQuarantine(asked)).toEqual([]);
    expect(await accounts.suspects(laptop)).toEqual([]);
    expect((await events()).slice(0, 2)).toEqual([
      `quarantine-lifted ${team} ${thinkpad}`,
      `device-quarantined ${team} ${thinkpad}`,
    ]);
  });

  test("[QU1] a device that was shut out is put under suspicion like any other, where it has written", async () => {
    const { accounts, team, add, write, quarantine } = await placed(world);
    const thinkpad = await add("thinkpad");
    await write(thinkpad, personal, 1);
    await write(thinkpad, team, 1);
    const silent = await add("silent");
    await accounts.revokeDevice({ asking: laptop, id: thinkpad });
    const asked = { asking: laptop, sinceMs: 0, network };
    const places = (await quarantine({ ...asked, device: thinkpad })).map(
      ({ namespace }) => namespace,
    );
    expect(places.toSorted()).toEqual([personal, team].toSorted());
    expect(await quarantine({ ...asked, device: silent })).toEqual([]);
    expect(await quarantine({ ...asked, device: "dev_none" as DeviceId })).toEqual([]);
  });

  test("[QU3] admins do it for any device, members for their own; nobody else changes anything", async () => {
    const { accounts, team, invite, add, write, quarantine, events } = await placed(world);
    const dana = await invite("dana", "writer");
    const bob = await invite("bob", "writer");
    const admin = await invite("adam", "admin");
    const danas = await add("danas", "dana");
    await write(danas, team, 1);
    const fleet = { ...world.link("fleet", "device"), kind: "ci", role: "writer" } as const;
    await accounts.createLink({ ...fleet, namespace: team, expiresAtMs: 1e13 });
    const opened = { id: "fleet", authHash: "auth", mac: "m", nowMs: 1, user: undefined };
    const machine = world.device("box");
    await accounts.redeemLink({ ...opened, device: machine });
    const by = (asking: DeviceId) => ({ asking, device: danas, sinceMs: 0, network });
    for (const asking of [bob, machine.id, danas, "dev_none" as DeviceId]) {
      expect(await quarantine(by(asking))).toEqual([]);
    }
    const set = [{ namespace: team, device: danas, aboveSeq: 0, since: 0 }];
    expect(await quarantine(by(dana))).toEqual(set);
    for (const asking of [bob, machine.id, danas]) {
      expect(await accounts.liftQuarantine(by(asking))).toEqual([]);
    }
    expect(await accounts.liftQuarantine(by(dana))).toEqual([team]);
    expect(await quarantine(by(admin))).toEqual(set);
    // What an admin has set, its author neither lifts nor narrows.
    expect(await accounts.liftQuarantine(by(dana))).toEqual([]);
    expect(await quarantine({ ...by(dana), sinceMs: 9e12 })).toEqual([]);
    expect(await accounts.suspects(dana)).toEqual(set);
    expect(await accounts.suspects(machine.id)).toEqual(set);
    expect(await accounts.liftQuarantine(by(laptop))).toEqual([team]);
    // Somebody who has left still is under suspicion, and says nothing about it any more.
    await accounts.removeMember({ device: laptop, namespace: team }, "usr_dana" as UserId);
    expect(await quarantine(by(dana))).toEqual([]);
    expect(await quarantine(by(admin))).toEqual(set);
    expect(await accounts.suspects(dana)).toEqual([]);
    const told = (await accounts.news(dana)).map(({ event }) => event);
    expect(told).toContain("device-quarantined");
    expect(await events()).toHaveLength(5);
    await accounts.revokeDevice({ asking: admin, id: admin, isForced: true });
    expect(await accounts.liftQuarantine(by(admin))).toEqual([]);
  });
}
