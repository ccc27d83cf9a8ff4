import {
  fail,
  limits,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type UserId,
} from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import type { AccountStore, LinkRow, NewNamespaceError } from "../accounts-port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

/** What the contract gives here besides: team namespaces that the owner has, so many of them. */
export interface PlacesWorld extends ContractWorld {
  own(count: number): Promise<void>;
}

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const full = fail({ kind: "too-many-namespaces" });

/** How many namespaces a person may be in (NS28): what every store does. */
export function placesContract(world: PlacesWorld): void {
  /** The owner with room for so many more, and another person's namespace that invites them. */
  const started = async (room: number) => {
    const { accounts } = await world.claimed();
    const team = await world.team(accounts);
    const bob = await befriend(world, accounts, team);
    // Bob's own namespace is none of the owner's yet; the personal one and the team are.
    await make(accounts, "bobs", bob);
    await world.own(limits.namespacesMax - 2 - room);
    const invite = async (id: string, given: Partial<LinkRow> = {}): Promise<void> => {
      const by = { createdBy: "usr_bob" as UserId, createdByDevice: bob };
      const link = { ...world.link(id, "invite"), ...by, expiresAtMs: 1e13, role: "writer" };
      const of = { namespace: "ns_bobs" as NamespaceId };
      expect(await accounts.createLink({ ...link, ...of, ...given } as LinkRow)).toEqual({
        ok: true,
      });
    };
    const accept = async (id: string) =>
      await accounts.acceptInvite({ id, authHash: "auth", nowMs: 60, device: laptop });
    return { accounts, team, bob, invite, accept };
  };

  test("[NS28] a person makes as many namespaces as a device takes, and not one more", async () => {
    const { accounts, bob } = await started(1);
    expect(await make(accounts, "last")).toMatchObject({ ok: true });
    const { rows } = await accounts.verifyAudit();
    expect(await make(accounts, "more")).toEqual(full);
    expect((await accounts.verifyAudit()).rows).toBe(rows);
    const told = await accounts.namespaces(laptop);
    expect(told).toHaveLength(limits.namespacesMax);
    expect(told.map(({ id }) => id)).not.toContain("ns_more");
    expect(await make(accounts, "another", bob)).toMatchObject({ ok: true });
  });

  test("[NS28] who is in enough accepts no invite, which stays open; who is in already may", async () => {
    const { accounts, team, bob, invite, accept } = await started(0);
    await invite("inv");
    expect(await accept("inv")).toEqual(full);
    expect(await accounts.linkState({ asking: bob, id: "inv", nowMs: 60 })).toEqual({
      status: "open",
    });
    await invite("again", { namespace: team });
    expect(await accept("again")).toEqual(ok(team));
    const asOwner = { device: laptop, namespace: team };
    await accounts.setRole(asOwner, "usr_bob" as UserId, "owner");
    expect(await accounts.removeMember(asOwner, owner)).toMatchObject({ ok: true });
    expect(await accept("inv")).toEqual(ok("ns_bobs"));
    expect(await make(accounts, "more")).toEqual(full);
  });

  test("[NS28] who waits has the place that an admin's word gives them", async () => {
    const { accounts, bob, invite, accept } = await started(1);
    const asBob = { device: bob, namespace: "ns_bobs" as NamespaceId };
    await invite("first", { confirm: true });
    await accept("first");
    expect(await make(accounts, "more")).toEqual(full);
    await accounts.declineMember(asBob, owner);
    await invite("second", { confirm: true });
    expect(await accept("second")).toMatchObject({ ok: true });
    expect(await accounts.confirmMember(asBob, owner, "writer")).toMatchObject({ ok: true });
    expect(await accounts.namespaces(laptop)).toHaveLength(limits.namespacesMax);
  });

  test("[NS28] what was deleted and may come back has its place", async () => {
    const { accounts, team } = await started(0);
    const asOwner = { device: laptop, namespace: team };
    await accounts.deleteNamespace(asOwner);
    expect(await make(accounts, "more")).toEqual(full);
    expect(await accounts.restoreNamespace(asOwner)).toMatchObject({ ok: true });
    expect(await accounts.namespaces(laptop)).toHaveLength(limits.namespacesMax);
  });

  test("[NS28] of those who take the last place at once one does", async () => {
    const { accounts, invite, accept } = await started(1);
    await invite("inv");
    const ends = await Promise.all([make(accounts, "a"), accept("inv"), make(accounts, "b")]);
    expect(ends.filter((end) => end.ok)).toHaveLength(1);
    expect(await accounts.namespaces(laptop)).toHaveLength(limits.namespacesMax);
  });
}

async function make(
  accounts: AccountStore,
  name: string,
  asking = laptop,
): Promise<Result<NamespaceInfo, NewNamespaceError>> {
  const id = `ns_${name}` as NamespaceId;
  return await accounts.createNamespace({ asking, id, name, mark: "mark0" });
}

async function befriend(
  world: ContractWorld,
  accounts: AccountStore,
  namespace: NamespaceId,
): Promise<DeviceId> {
  await accounts.createLink({ ...world.link("bob", "invite"), namespace, role: "admin" });
  const person = { device: world.device("bob"), user: world.user("bob") };
  const opening = { id: "bob", authHash: "auth", mac: "mac", nowMs: 60 };
  expect(await accounts.redeemLink({ ...opening, ...person })).toMatchObject({ ok: true });
  return person.device.id;
}
