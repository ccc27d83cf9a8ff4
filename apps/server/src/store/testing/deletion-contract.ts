import { fail, type DeviceId, type NamespaceId, type UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { deletionGraceMs } from "../deletion-rules.ts";
import type { Store } from "../port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

/** What the contract gives here besides: a clock that the test moves. */
export interface DeletionWorld extends Omit<ContractWorld, "claimed"> {
  claimedAt(clock: { nowMs(): number }): Promise<Store>;
}

const laptop = "dev_laptop" as DeviceId;
const absent = fail({ kind: "not-found" });
const asOwner = { device: laptop, namespace: "ns_team" as NamespaceId };
const { namespace: team } = asOwner;

/** Deleting a namespace and bringing it back: what every store does. */
export function deletionContract(world: DeletionWorld): void {
  const deleted = async () => {
    const clock = { ms: 1_000, nowMs: () => clock.ms };
    const store = await world.claimedAt(clock);
    const { accounts } = store;
    await world.team(accounts);
    const invite = { ...world.link("inv", "invite"), namespace: team, role: "admin" } as const;
    await accounts.createLink({ ...invite, expiresAtMs: 1e13 });
    await accounts.createLink({ ...invite, id: "open", expiresAtMs: 1e13 });
    const opened = { id: "inv", authHash: "auth", mac: "mac", nowMs: clock.ms };
    const person = { device: world.device("bob"), user: world.user("bob") };
    expect(await accounts.redeemLink({ ...opened, ...person })).toMatchObject({ ok: true });
    const bob = "dev_bob" as DeviceId;
    await store.writeNamespace(team, async (tx) => {
      const head = await tx.head();
      await tx.saveHead({ ...head, head: 7, mark: "mark7" });
    });
    const asBob = { device: bob, namespace: team };
    return { store, accounts, clock, asBob, bob };
  };

  test("[NS22] owners alone delete, no personal namespace, and nothing of it is left for anybody", async () => {
    const { store, accounts, clock, asBob, bob } = await deleted();
    expect(await accounts.deleteNamespace(asBob)).toEqual(fail({ kind: "forbidden" }));
    const personal = { device: laptop, namespace: "ns_personal" as NamespaceId };
    expect(await accounts.deleteNamespace(personal)).toEqual(fail({ kind: "forbidden" }));
    const none = { device: laptop, namespace: "ns_none" as NamespaceId };
    expect(await accounts.deleteNamespace(none)).toEqual(absent);
    expect(await accounts.restoreNamespace(asOwner)).toEqual(absent);

    const info = { id: team, name: "team", deletedAt: 1_000, purgeAt: 1_000 + deletionGraceMs };
    expect(await accounts.deleteNamespace(asOwner)).toEqual({ ok: true, value: info });
    expect(await accounts.deleteNamespace(asOwner)).toEqual(absent);
    for (const device of [laptop, bob]) {
      const actor = { device, namespace: team };
      expect(await accounts.members(actor)).toEqual(absent);
      expect(await accounts.setRole(actor, "usr_bob" as UserId, "reader")).toEqual(absent);
      expect((await accounts.namespaces(device)).map(({ id }) => id)).not.toContain(team);
      expect(await store.readNamespace(team, (tx) => tx.access(device))).toBeUndefined();
    }
    const accepting = { id: "open", authHash: "auth", nowMs: clock.ms, device: bob };
    expect(await accounts.acceptInvite(accepting)).toMatchObject({
      error: { kind: "invalid-or-expired" },
    });
    expect(await accounts.deletedNamespaces(laptop)).toEqual([info]);
    expect(await accounts.deletedNamespaces(bob)).toEqual([]);
  });

  test("[NS22] its owners restore it as it was, for 30 days", async () => {
    const { store, accounts, clock, asBob, bob } = await deleted();
    const before = await accounts.members(asOwner);
    await accounts.deleteNamespace(asOwner);
    expect(await accounts.restoreNamespace(asBob)).toEqual(absent);
    clock.ms += deletionGraceMs - 1;
    expect(await store.expiredNamespaces(10)).toEqual([]);
    expect(await store.purgeNamespace(team, 10)).toBe(false);
    expect(await accounts.restoreNamespace(asOwner)).toEqual({
      ok: true,
      value: { id: team, name: "team", kind: "team", role: "owner", head: 7 },
    });
    expect(await accounts.members(asOwner)).toEqual(before);
    expect(await accounts.deletedNamespaces(laptop)).toEqual([]);
    expect(await store.readNamespace(team, (tx) => tx.access(bob))).toMatchObject({
      role: "admin",
    });
    const accepting = { id: "open", authHash: "auth", nowMs: clock.ms, device: bob };
    expect(await accounts.acceptInvite(accepting)).toMatchObject({ ok: true });
  });

  test("[NS23] after 30 days it is purged in bounded parts, with links and machines, and told", async () => {
    const { store, accounts, clock } = await deleted();
    const fleet = { ...world.link("fleet", "device"), kind: "ci", usesMax: 2 } as const;
    await accounts.createLink({ ...fleet, namespace: team, role: "writer", expiresAtMs: 1e13 });
    const box = world.device("box");
    const opened = { id: "fleet", authHash: "auth", mac: "m", nowMs: clock.ms, user: undefined };
    expect(await accounts.redeemLink({ ...opened, device: box })).toMatchObject({ ok: true });
    await accounts.deleteNamespace(asOwner);
    clock.ms += deletionGraceMs;
    expect(await accounts.deletedNamespaces(laptop)).toEqual([]);
    expect(await accounts.restoreNamespace(asOwner)).toEqual(absent);
    expect(await store.expiredNamespaces(10)).toEqual([team]);
    expect(await store.expiredNamespaces(0)).toEqual([]);
    let parts = 1;
    let isPurged = await store.purgeNamespace(team, 1);
    // A server whose clock is behind takes it for restorable still.
    clock.ms -= 1;
    expect(await accounts.deletedNamespaces(laptop)).toEqual([]);
    expect(await accounts.restoreNamespace(asOwner)).toEqual(absent);
    clock.ms += 1;
    for (; !isPurged; parts += 1) isPurged = await store.purgeNamespace(team, 1);
    expect(parts).toBeLessThan(20);
    expect(await store.expiredNamespaces(10)).toEqual([]);
    expect(await store.namespaceIds()).not.toContain(team);
    expect(await store.readNamespace(team, (tx) => tx.head())).toBeUndefined();
    expect(await accounts.device(box.id)).toMatchObject({ status: "revoked" });
    expect((await accounts.links(laptop, 0)).map(({ id }) => id)).toEqual([]);
    expect(await store.purgeNamespace(team, 1)).toBe(true);
    expect(await store.purgeNamespace("ns_personal" as NamespaceId, 1)).toBe(false);
    const told = await accounts.audit({
      asking: laptop,
      before: undefined,
      limit: 2,
      namespace: undefined,
    });
    expect(told).toMatchObject({
      value: {
        items: [
          { event: "namespace-purged", target: team, details: { name: "team" } },
          { event: "namespace-deleted", details: { name: "team", until: 1_000 + deletionGraceMs } },
        ],
      },
    });
  });

  test("[NS22] of a deletion and an invite that is accepted beside it, nobody is left a member", async () => {
    const { store, accounts, clock, bob } = await deleted();
    const accepting = { id: "open", authHash: "auth", nowMs: clock.ms, device: bob };
    await Promise.all([accounts.acceptInvite(accepting), accounts.deleteNamespace(asOwner)]);
    expect(await store.readNamespace(team, (tx) => tx.access(bob))).toBeUndefined();
    expect((await accounts.namespaces(bob)).map(({ id }) => id)).not.toContain(team);
  });
}
