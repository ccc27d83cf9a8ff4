import type { DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { AccountStore, LinkRow } from "../accounts-port.ts";
import type { Store } from "../port.ts";
import type { ContractWorld } from "./pairing-contract.ts";

const laptop = "dev_laptop" as DeviceId;
const owner = "usr_owner" as UserId;
const network = "203.0.113.0/24";

/** Invites that wait for an admin's word (NS24, NS25): what every store does. */
export function waitingContract(world: ContractWorld): void {
  openingContract(world);
  newMemberContract(world);
  wordContract(world);
}

interface Opened {
  readonly user: UserId;
  readonly device: DeviceId;
  readonly result: Awaited<ReturnType<AccountStore["redeemLink"]>>;
}

interface Waiting {
  readonly store: Store;
  readonly accounts: AccountStore;
  readonly team: NamespaceId;
  readonly asOwner: { readonly device: DeviceId; readonly namespace: NamespaceId };
  /** Makes an invite of the owner's; it waits unless told otherwise. */
  readonly make: (id: string, given?: Partial<LinkRow>) => Promise<void>;
  /** Opens one as a new person. */
  readonly open: (id: string, name: string) => Promise<Opened>;
  readonly waiting: () => Promise<readonly string[]>;
  readonly events: () => Promise<readonly string[]>;
}

async function started(world: ContractWorld): Promise<Waiting> {
  const store = await world.claimed();
  const { accounts } = store;
  const team = await world.team(accounts);
  const asOwner = { device: laptop, namespace: team };
  return {
    store,
    accounts,
    team,
    asOwner,
    make: async (id, given = {}) => {
      const link = { ...world.link(id, "invite"), namespace: team, role: "writer", confirm: true };
      const made = await accounts.createLink({ ...link, ...given } as LinkRow);
      expect(made.ok).toBe(true);
    },
    open: async (id, name) => {
      const person = { device: world.device(name), user: world.user(name) };
      const opening = { id, authHash: "auth", mac: "mac", nowMs: 60, network };
      const result = await accounts.redeemLink({ ...opening, ...person });
      return { user: person.user.id, device: person.device.id, result };
    },
    waiting: async () => {
      const listed = await accounts.waiting(asOwner);
      return listed.ok ? listed.value.map(({ user, role }) => `${user.id} ${role}`) : ["refused"];
    },
    events: async () => {
      const query = { asking: laptop, namespace: team, before: undefined, limit: 50 };
      const page = await accounts.audit(query);
      return page.ok ? page.value.items.map(({ event }) => event) : ["refused"];
    },
  };
}

function newMemberContract(world: ContractWorld): void {
  const dayMs = 86_400_000;

  test("[NS26] of a writer is told since when its person is a member, where that was after the first day", async () => {
    const { store, accounts, team, asOwner } = await started(world);
    const nowMs = 3 * dayMs;
    const admit = async (name: string, atMs: number, link: object = {}): Promise<UserId> => {
      const made = { ...world.link(name, "invite"), namespace: team, role: "writer" };
      await accounts.createLink({ ...made, expiresAtMs: 9 * dayMs, ...link } as LinkRow);
      const person = { device: world.device(name), user: world.user(name) };
      const opening = { id: name, authHash: "auth", mac: "mac", nowMs: atMs, network };
      expect((await accounts.redeemLink({ ...opening, ...person })).ok).toBe(true);
      return person.user.id;
    };
    await admit("early", 60);
    const late = await admit("late", nowMs);
    await admit("gone", nowMs);
    await accounts.removeMember(asOwner, "usr_gone" as UserId);
    await accounts.setRole(asOwner, late, "admin");
    const told = async () =>
      await store.writeNamespace(team, async (tx) => {
        const row = { acked: 0, chain: "c", since: 0, results: [] };
        const devices = ["laptop", "early", "late", "gone"];
        await tx.saveWriters(
          devices.map((name) => ({
            ...row,
            writer: `w_${name}` as never,
            device: `dev_${name}` as DeviceId,
          })),
        );
        const infos = await tx.writers(devices.map((name) => `w_${name}`) as never);
        return infos.map(({ user, joinedAt }) => [user, joinedAt]);
      });
    const expected = [
      ["usr_early", undefined],
      ["usr_gone", undefined],
      [owner, undefined],
      ["usr_late", nowMs],
    ];
    expect(await told()).toEqual(expected);
    await accounts.deleteNamespace(asOwner);
    await accounts.restoreNamespace(asOwner);
    expect(await told()).toEqual(expected);
  });
}

function openingContract(world: ContractWorld): void {
  test("[NS24] who opens an invite that waits is a person of the server and no member (abuse 90)", async () => {
    const { accounts, team, asOwner, make, open } = await started(world);
    await make("inv", { madeFor: "grace@example.org" });
    const { user, device, result } = await open("inv", "bob");
    expect(result).toMatchObject({ ok: true, value: { user: { id: user } } });
    expect((await accounts.namespaces(device)).map(({ kind }) => kind)).toEqual(["personal"]);
    expect(await accounts.waitingPlaces(device)).toEqual([
      { id: team, name: "team", role: "writer" },
    ]);
    expect(await accounts.waitingPlaces(laptop)).toEqual([]);
    const asBob = { device, namespace: team };
    const absent = { ok: false, error: { kind: "not-found" } };
    expect(await accounts.members(asBob)).toEqual(absent);
    expect(await accounts.waiting(asBob)).toEqual(absent);
    expect(await accounts.confirmMember(asBob, user, "writer")).toEqual(absent);
    expect(await accounts.declineMember(asBob, user)).toEqual(absent);
    expect(await accounts.setRole(asBob, user, "writer")).toEqual(absent);
    expect(await accounts.removeMember(asBob, user)).toEqual(absent);
    expect(await accounts.deleteNamespace(asBob)).toEqual(absent);
    expect(await accounts.removeMember(asOwner, user)).toEqual(absent);
    expect(await accounts.waiting(asOwner)).toEqual({
      ok: true,
      value: [
        {
          user: { id: user, name: "Olga" },
          role: "writer",
          since: 60,
          device: { name: "bob", platform: "linux" },
          network,
          invitedBy: { id: owner, name: "Olga" },
          madeFor: "grace@example.org",
        },
      ],
    });
  });

  test("[NS24] [AU11] an invite that waits opens once, and not after its maker's fall (abuse 98)", async () => {
    const { accounts, team, make, open, waiting } = await started(world);
    await make("once");
    expect((await accounts.links(laptop, 55)).map(({ id, status }) => [id, status])).toEqual([
      ["once", "open"],
    ]);
    const both = await Promise.all([open("once", "bob"), open("once", "eve")]);
    expect(both.filter(({ result }) => result.ok)).toHaveLength(1);
    expect(await waiting()).toHaveLength(1);
    const state = await accounts.linkState({ asking: laptop, id: "once", nowMs: 61 });
    expect(state).toMatchObject({ status: "used" });
    await make("admin", { confirm: false, role: "admin" });
    const adam = await open("admin", "adam");
    await make("fallen", { createdBy: adam.user, createdByDevice: adam.device });
    await make("ended");
    await accounts.revokeLink({
      asking: laptop,
      id: "ended",
      withDevices: false,
      network,
      nowMs: 62,
    });
    await accounts.setRole({ device: laptop, namespace: team }, adam.user, "writer");
    for (const id of ["fallen", "ended"]) {
      expect((await open(id, `late-${id}`)).result).toMatchObject({
        error: { kind: "invalid-or-expired" },
      });
    }
    expect(await waiting()).toHaveLength(1);
  });

  test("[NS25] an invite for a person's id takes that person at once, anybody else waits (abuse 98)", async () => {
    const { accounts, team, make, open, waiting } = await started(world);
    await make("lobby", { confirm: false, role: "reader" });
    const grace = await open("lobby", "grace");
    const { id: side } = { id: "ns_side" as NamespaceId };
    await accounts.createNamespace({ asking: laptop, id: side, name: "side", mark: "mark0" });
    const accept = { authHash: "auth", nowMs: 61, device: grace.device };
    await make("hers", { namespace: side, madeFor: grace.user });
    expect(await accounts.acceptInvite({ ...accept, id: "hers" })).toEqual({
      ok: true,
      value: side,
    });
    expect((await accounts.namespaces(grace.device)).map(({ id }) => id)).toContain(side);
    // A name is nobody's: whoever opens the link may give themselves that one.
    await make("named", { madeFor: "Olga" });
    const eve = await open("named", "eve");
    await make("theirs", { madeFor: grace.user });
    const mallory = await open("theirs", "mallory");
    expect(await waiting()).toEqual([`${eve.user} writer`, `${mallory.user} writer`]);
    expect((await accounts.namespaces(eve.device)).map(({ id }) => id)).not.toContain(team);
  });

  test("[NS24] a member who opens one for a higher role keeps the lower one meanwhile", async () => {
    const { accounts, team, asOwner, make, open, waiting } = await started(world);
    await make("first", { confirm: false, role: "reader" });
    const bob = await open("first", "bob");
    const roleOf = async (): Promise<Role | undefined> =>
      (await accounts.namespaces(bob.device)).find(({ id }) => id === team)?.role;
    const accept = { authHash: "auth", nowMs: 61, device: bob.device };
    await make("same", { role: "reader" });
    await accounts.acceptInvite({ ...accept, id: "same" });
    expect([await roleOf(), await waiting()]).toEqual(["reader", []]);
    await make("more");
    await accounts.acceptInvite({ ...accept, id: "more" });
    expect([await roleOf(), await waiting()]).toEqual(["reader", [`${bob.user} writer`]]);
    // Who is removed waits for nothing either.
    await accounts.removeMember(asOwner, bob.user);
    expect([await roleOf(), await waiting()]).toEqual([undefined, []]);
    expect(await accounts.confirmMember(asOwner, bob.user, "writer")).toMatchObject({
      error: { kind: "not-found" },
    });
  });
}

function wordContract(world: ContractWorld): void {
  test("[NS25] of a yes and a no at once one counts, and the audit has that one (abuse 94)", async () => {
    const { accounts, team, asOwner, make, open, waiting, events } = await started(world);
    await make("inv");
    const bob = await open("inv", "bob");
    const words = await Promise.all([
      accounts.confirmMember(asOwner, bob.user, "writer"),
      accounts.declineMember(asOwner, bob.user),
    ]);
    expect(words.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await waiting()).toEqual([]);
    expect(await accounts.waitingPlaces(bob.device)).toEqual([]);
    const isIn = (await accounts.namespaces(bob.device)).some(({ id }) => id === team);
    expect(isIn).toBe(words[0]?.ok);
    const told = isIn ? "member-confirmed" : "member-declined";
    expect((await events()).slice(0, 2)).toEqual([told, "member-waiting"]);
  });

  test("[NS25] nobody lets in above their own role, or with another role than the shown one (abuse 94)", async () => {
    const { accounts, team, asOwner, make, open, waiting, events } = await started(world);
    await make("admin", { confirm: false, role: "admin" });
    const adam = await open("admin", "adam");
    await make("writer", { confirm: false });
    const will = await open("writer", "will");
    await make("crown", { role: "owner" });
    const eve = await open("crown", "eve");
    const as = (device: DeviceId) => ({ device, namespace: team });
    const before = await events();
    const refusals = [
      [accounts.waiting(as(will.device)), "forbidden"],
      [accounts.confirmMember(as(will.device), eve.user, "owner"), "forbidden"],
      [accounts.declineMember(as(will.device), eve.user), "forbidden"],
      [accounts.confirmMember(as(adam.device), eve.user, "owner"), "forbidden"],
      [accounts.confirmMember(asOwner, eve.user, "writer"), "conflict"],
      [accounts.confirmMember(asOwner, will.user, "writer"), "not-found"],
      [accounts.declineMember(asOwner, "usr_none" as UserId), "not-found"],
    ] as const;
    for (const [refusal, kind] of refusals) {
      expect(await refusal).toEqual({ ok: false, error: { kind } });
    }
    expect(await events()).toEqual(before);
    expect(await waiting()).toEqual([`${eve.user} owner`]);
    expect(await accounts.confirmMember(asOwner, eve.user, "owner")).toMatchObject({ ok: true });
    expect((await accounts.namespaces(eve.device)).find(({ id }) => id === team)?.role).toBe(
      "owner",
    );
  });

  test("[NS24] [NS22] nobody waits for a deleted namespace, and restored it waits for them again", async () => {
    const { accounts, asOwner, make, open, waiting } = await started(world);
    await make("inv");
    const bob = await open("inv", "bob");
    await accounts.deleteNamespace(asOwner);
    expect(await accounts.waitingPlaces(bob.device)).toEqual([]);
    expect(await accounts.confirmMember(asOwner, bob.user, "writer")).toMatchObject({
      error: { kind: "not-found" },
    });
    await accounts.restoreNamespace(asOwner);
    expect(await waiting()).toEqual([`${bob.user} writer`]);
    expect(await accounts.declineMember(asOwner, bob.user)).toEqual({ ok: true, value: undefined });
    expect(await accounts.waitingPlaces(bob.device)).toEqual([]);
  });
}
