import {
  tombstone,
  type DeviceId,
  type NamespaceId,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import type { LinkRow } from "./accounts-port.ts";
import {
  bySeq,
  claimed,
  device,
  everything,
  far,
  headAt,
  id,
  ids,
  laptop,
  link,
  live,
  namespace,
  owner,
  readPage,
  revision,
  save,
  team,
  ticking,
  user,
  muchRoom,
} from "./testing/contract-rows.ts";
import { bucketContract } from "./testing/bucket-contract.ts";
import { consoleContract } from "./testing/console-contract.ts";
import { identityContract } from "./testing/identity-contract.ts";
import { deletionContract } from "./testing/deletion-contract.ts";
import { keyContract } from "./testing/key-contract.ts";
import { jobsContract } from "./testing/jobs-contract.ts";
import { networksContract } from "./testing/networks-contract.ts";
import { pairingContract } from "./testing/pairing-contract.ts";
import { placesContract, type PlacesWorld } from "./testing/places-contract.ts";
import { resetContract } from "./testing/reset-contract.ts";
import { quarantineContract } from "./testing/quarantine-contract.ts";
import { rightsContract } from "./testing/rights-contract.ts";
import { sealedContract } from "./testing/sealed-contract.ts";
import { waitingContract } from "./testing/waiting-contract.ts";
import type { NamespaceWriter, RevisionRow, Store, StoredRecord, Write } from "./port.ts";

/** Gives an empty store; the clock is the test's. */
export type MakeStore = (clock: { nowMs(): number }) => Promise<Store>;

const zero = "0000000000000000";

/**
 * What every implementation of `Store` does.
 *
 * @param own gives the owner so many team namespaces, by the shortest way; without it a store that
 *   takes long for each is not asked how many there may be
 */
export function storeContract(name: string, makeStore: MakeStore, own?: PlacesWorld["own"]): void {
  describe(`${name} keeps namespaces`, () => {
    namespaceContract(makeStore);
  });
  describe(`${name} keeps accounts`, () => {
    accountContract(makeStore);
  });
  const claimedAt = async (clock: { nowMs(): number }) => claimed(await makeStore(clock));
  const world = { claimed: () => claimedAt(ticking()), device, user, link, team };
  describe(`${name} keeps pairings and rights`, () => {
    pairingContract(world);
    networksContract(world);
    jobsContract(world);
    rightsContract(world);
    waitingContract(world);
    deletionContract({ ...world, claimedAt });
    if (own !== undefined) placesContract({ ...world, own });
    quarantineContract({ ...world, claimedAt });
  });
  describe(`${name} keeps encrypted namespaces`, () => {
    sealedContract(world);
  });

  describe(`${name} keeps the console`, () => {
    consoleContract({ claimedAt });
    identityContract({ claimedAt });
  });
  describe(`${name} lets the owner back in`, () => {
    resetContract({ ...world, open: async () => await makeStore(ticking()) });
  });
  describe(`${name} keeps keys`, () => {
    keyContract(world);
  });
}

function namespaceContract(makeStore: MakeStore): void {
  const opened = async (): Promise<Store> => {
    const store = await makeStore(ticking());
    await claimed(store);
    return store;
  };

  bucketContract(opened);

  test("a namespace that does not exist gives undefined", async () => {
    const store = await opened();
    const other = "ns_other" as NamespaceId;
    expect(await store.readNamespace(other, (tx) => tx.head())).toBeUndefined();
    expect(await store.writeNamespace(other, (tx) => tx.head())).toBeUndefined();
    expect(await store.namespaceIds()).toEqual([namespace]);
    expect(await store.ping()).toBe(true);
  });

  test("[MK1] a new namespace has a mark for head 0, a moved head has its own", async () => {
    const store = await opened();
    await save(store, [live("r1", 1)]);
    const marks = await store.readNamespace(namespace, (tx) =>
      Promise.all([tx.markOf(0), tx.markOf(1), tx.markOf(2)]),
    );
    expect(marks).toEqual(["mark0", "mark1", undefined]);
  });

  test("records come back as they were saved, replaced ones once", async () => {
    const store = await opened();
    const child = { ...live("r2", 2), bytes: 9 };
    await save(store, [live("r1", 1), child]);
    const moved = { ...live("r1", 3, { title: "new" }), via: "w9" as WriterId };
    await save(store, [moved]);
    const found = await store.readNamespace(namespace, (tx) =>
      tx.records(ids("r1", "r2", "r1", "nobody")),
    );
    expect(bySeq(found)).toEqual([{ ...child, via: undefined }, moved]);
  });

  test("[PL5] a page is in seq order, above the cursor, bounded by count and bytes", async () => {
    const store = await opened();
    const gone: StoredRecord = {
      seq: 3,
      state: tombstone(id("r3"), "observation"),
      digest: "ffffffffffffffff",
      bytes: 0,
    };
    await save(store, [live("r1", 1), live("r2", 2), gone, live("r4", 4)]);
    const page = async (after: number, count: number, bytes: number): Promise<readonly number[]> =>
      (await readPage(store, after, { count, bytes })).map(({ seq }) => seq);
    expect(await page(0, 10, far)).toEqual([1, 2, 3, 4]);
    expect(await page(1, 2, far)).toEqual([2, 3]);
    expect(await page(0, 10, 1)).toEqual([1]);
    expect(await page(4, 10, far)).toEqual([]);
    const lines = await readPage(store, 2, { count: 10, bytes: far });
    expect(lines[0]).toEqual({
      seq: 3,
      line: '{"seq":3,"id":"r3","collection":"observation","forgotten":true}',
      writers: [],
    });
    expect(JSON.parse(lines[1]?.line ?? "")).toMatchObject({ seq: 4, id: "r4", writer: "w1" });
    expect(lines[1]?.writers).toEqual(["w1"]);
  });

  test("[PS14] of records that hold more than there is room for, those that fit and one more are given", async () => {
    const store = await opened();
    const records = [1, 2, 3].map((n) => ({ ...live(`r${n}`, n), bytes: 1_000 }));
    await save(store, records);
    const read = (room: number): Promise<number | undefined> =>
      store.readNamespace(
        namespace,
        async (tx) => (await tx.records(ids("r1", "r2", "r3", "nobody"), room)).length,
      );
    expect(await read(3_000)).toBe(3);
    expect(await read(2_000)).toBe(3);
    expect(await read(1_999)).toBe(2);
    expect(await read(999)).toBe(1);
    expect(await read(-1)).toBe(0);
    const none = await store.readNamespace(namespace, (tx) => tx.records(ids("nobody"), 0));
    expect(none).toEqual([]);
  });

  test("[PS14] which records are there is told without what they hold, forgotten ones too", async () => {
    const store = await opened();
    const gone = { seq: 2, state: tombstone(id("r2"), "observation"), digest: zero, bytes: 0 };
    await save(store, [live("r1", 1), gone]);
    const present = await store.readNamespace(namespace, (tx) =>
      tx.present(ids("r2", "nobody", "r1", "r1")),
    );
    expect(present?.toSorted()).toEqual(ids("r1", "r2"));
    expect(await store.readNamespace(namespace, (tx) => tx.present([]))).toEqual([]);
  });

  test("[TB12] children are the live records that name a parent, without what they hold", async () => {
    const store = await opened();
    const child = (name: string, seq: number): StoredRecord => {
      const record = live(name, seq);
      return { ...record, state: { ...record.state, parent: id("p") } };
    };
    await save(store, [child("c1", 1), child("c2", 2), live("r", 3)]);
    const forgotten = { seq: 4, state: tombstone(id("c1"), "observation"), digest: zero, bytes: 0 };
    await save(store, [forgotten]);
    const found = await store.readNamespace(namespace, (tx) => tx.children(ids("p", "r")));
    const { digest, bytes, via } = live("c2", 2);
    expect(found).toEqual([
      { id: "c2", collection: "observation", parent: "p", digest, bytes, via },
    ]);
  });

  test("[CO14] live conflicts of one record are counted, and no further than asked", async () => {
    const store = await opened();
    const below = (name: string, seq: number, collection: string, parent: string): StoredRecord => {
      const record = live(name, seq);
      return { ...record, state: { ...record.state, collection, parent: id(parent) } };
    };
    await save(store, [
      below("x1", 1, "conflict", "r"),
      below("x2", 2, "conflict", "r"),
      below("x3", 3, "conflict", "r"),
      below("n1", 4, "observation", "r"),
      below("o1", 5, "conflict", "other"),
    ]);
    const gone = { seq: 6, state: tombstone(id("x3"), "conflict"), digest: zero, bytes: 0 };
    await save(store, [gone]);
    const counts = await store.readNamespace(namespace, (tx) =>
      Promise.all([1, 2, 9].map((most) => tx.conflictCount(id("r"), most))),
    );
    expect(counts).toEqual([1, 2, 2]);
  });

  test("writers keep their position and name who stands behind them", async () => {
    const store = await opened();
    const row = {
      writer: "w1" as WriterId,
      device: laptop,
      acked: 3,
      chain: "c",
      since: 1,
      results: [{ n: 2, result: "rejected", code: "forbidden" } as const],
    };
    await store.writeNamespace(namespace, (tx) => tx.saveWriters([{ ...row, acked: 1 }]));
    await store.writeNamespace(namespace, (tx) => tx.saveWriters([row]));
    const read = await store.readNamespace(namespace, (tx) =>
      Promise.all([
        tx.writer(row.writer),
        tx.writer("w2" as WriterId),
        tx.writers([row.writer]),
        tx.writerRows(["w2" as WriterId, row.writer, row.writer]),
        tx.writerRows([]),
      ]),
    );
    expect(read).toEqual([
      row,
      undefined,
      [{ writer: "w1", device: laptop, deviceName: "laptop", user: owner, userName: "Olga" }],
      [row],
      [],
    ]);
  });

  test("revisions are kept once, newest first, and go with their record", async () => {
    const store = await opened();
    const old = revision("r1", 1);
    const newer = revision("r1", 5);
    await store.writeNamespace(namespace, async (tx) => {
      await tx.addRevisions([old, newer, revision("r2", 1)]);
      await tx.addRevisions([old]);
    });
    const read = async (record: string): Promise<readonly RevisionRow[] | undefined> =>
      (await store.readNamespace(namespace, (tx) => tx.revisions(id(record), muchRoom)))?.rows;
    expect(await read("r1")).toEqual([newer, old]);
    await store.writeNamespace(namespace, (tx) => tx.eraseRevisions(ids("r1")));
    expect(await read("r1")).toEqual([]);
    expect(await read("r2")).toHaveLength(1);
  });

  test("[HL3] of what a record held before, no more is read than was asked for", async () => {
    const store = await opened();
    const [first, second] = [revision("r1", 1), revision("r1", 5)];
    await store.writeNamespace(namespace, async (tx) => {
      await tx.addRevisions([first, second, revision("r2", 1)]);
    });
    const others = [
      { ...first, record: id("r3") },
      { ...first, field: "narrative" },
      { ...first, lamport: 2 },
      { ...first, writer: "w9" as WriterId },
      { ...first, hash: "another" },
    ];
    const past = async (writes: readonly Write[]): Promise<unknown> =>
      await store.readNamespace(namespace, async (tx) => [...(await tx.pastClocks(writes))]);
    expect(await past([])).toEqual([]);
    expect(await past(others)).toEqual([]);
    expect(await past([...others, second, second])).toEqual([["r1", { title: [[5, "w1", "h5"]] }]]);
  });

  test("[PG4] what a write throws takes everything back", async () => {
    const store = await opened();
    await save(store, [live("r1", 1), live("r2", 2)]);
    const before = await everything(store);
    const broken = store.writeNamespace(namespace, async (tx) => {
      await tx.saveRecords([live("r1", 3, { title: "lost" }), live("r9", 4)]);
      await tx.addRevisions([revision("r1", 1)]);
      await tx.saveHead({ ...headAt(4), mark: "lost" });
      throw new Error("stop here");
    });
    await expect(broken).rejects.toThrow("stop here");
    expect(await everything(store)).toEqual(before);
  });

  test("[PL1] writes of one namespace run one after another", async () => {
    const store = await opened();
    const raise = async (tx: NamespaceWriter): Promise<void> => {
      const head = await tx.head();
      await tx.saveHead({ ...head, lamport: head.lamport + 1 });
    };
    await Promise.all(Array.from({ length: 12 }, () => store.writeNamespace(namespace, raise)));
    const head = await store.readNamespace(namespace, (tx) => tx.head());
    expect(head?.lamport).toBe(12);
  });

  test("[WR41] a history is read as far as there is room, the newest first and one at least", async () => {
    const store = await opened();
    const values = ["three", "élan", "one"].map((value, index) => ({
      ...revision("r1", 3 - index),
      value: JSON.stringify(value),
    }));
    await store.writeNamespace(namespace, (tx) => tx.addRevisions(values));
    const read = async (countMax: number, bytesMax: number): Promise<readonly unknown[]> => {
      const part = await store.readNamespace(namespace, (tx) =>
        tx.revisions(id("r1"), { countMax, bytesMax }),
      );
      return [...(part?.rows ?? []).map(({ value }) => value), part?.hasMore];
    };
    const [newest, middle, oldest] = values.map(({ value }) => value);
    expect(await read(3, 19)).toEqual([newest, middle, oldest, false]);
    expect(await read(2, far)).toEqual([newest, middle, true]);
    // Seven bytes, seven with the accent, and five.
    expect(await read(3, 18)).toEqual([newest, middle, true]);
    expect(await read(3, 13)).toEqual([newest, true]);
    expect(await read(3, 0)).toEqual([newest, true]);
  });

  test("[MK3] retention erases old revisions and thins old marks, never the newest", async () => {
    const store = await opened();
    for (const seq of [1, 2, 3, 4]) await save(store, [live(`r${seq}`, seq)]);
    const gone = await store.writeNamespace(namespace, async (tx) => {
      await tx.addRevisions([revision("r1", 1), revision("r1", 2)]);
      const marks = [await tx.trimMarks(far, 2, 1), await tx.trimMarks(far, 2, 9)];
      return [...marks, await tx.trimRevisions(far, 1), await tx.trimRevisions(far, 9)];
    });
    expect(gone).toEqual([1, 1, 1, 1]);
    const read = await store.readNamespace(namespace, async (tx) => ({
      marks: await Promise.all([0, 1, 2, 3, 4].map((head) => tx.markOf(head))),
      revisions: await tx.revisions(id("r1"), muchRoom),
    }));
    expect(read?.marks).toEqual(["mark0", undefined, "mark2", undefined, "mark4"]);
    expect(read?.revisions).toEqual({ rows: [], hasMore: false });
  });
}

function accountContract(makeStore: MakeStore): void {
  const open = (): Promise<Store> => makeStore(ticking());

  test("[NS9] the first claim wins, the second is told so", async () => {
    const { accounts } = await open();
    const made = await accounts.server(() => "srv_1");
    expect(made).toEqual({ id: "srv_1", claimedAtMs: undefined });
    expect(await accounts.server(() => "srv_2")).toEqual(made);
    await accounts.saveSetupSecret("hash", 100);
    const input = { secretHash: "hash", nowMs: 50, user: user("owner"), device: device("laptop") };
    expect(await accounts.claim({ ...input, secretHash: "wrong" })).toMatchObject({
      error: { kind: "invalid-or-expired" },
    });
    expect(await accounts.claim({ ...input, nowMs: 100 })).toMatchObject({
      error: { kind: "invalid-or-expired" },
    });
    const claims = await Promise.all([
      accounts.claim(input),
      accounts.claim({ ...input, user: user("rival"), device: device("other") }),
    ]);
    expect(claims.filter((claim) => claim.ok)).toHaveLength(1);
    expect(claims).toContainEqual({ ok: false, error: { kind: "already-claimed" } });
    expect(await accounts.saveSetupSecret("hash", 100)).toMatchObject({
      error: { kind: "already-claimed" },
    });
    expect(await accounts.server(() => "srv_3")).toEqual({ id: "srv_1", claimedAtMs: 50 });
  });

  test("[AU1] every live setup secret opens the server, the eight newest of them, until one did", async () => {
    let nowMs = 0;
    const { accounts } = await makeStore({ nowMs: () => nowMs });
    await accounts.server(() => "srv");
    const print = async (at: number): Promise<void> => {
      nowMs = at;
      expect(await accounts.saveSetupSecret(`s${at}`, at + 60)).toMatchObject({ ok: true });
    };
    const claim = (secret: number, at: number) =>
      accounts.claim({
        secretHash: `s${secret}`,
        nowMs: at,
        user: user("owner"),
        device: device("laptop"),
      });
    const refused = { error: { kind: "invalid-or-expired" } };
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await print(at);
    expect(await claim(1, 10)).toMatchObject(refused);
    await print(65);
    // Those of 1 to 5 have expired, and were put away rather than the live ones of 6 to 9.
    for (const gone of [2, 5, 6]) expect(await claim(gone, 66)).toMatchObject(refused);
    expect(await claim(2, 10)).toMatchObject(refused);
    const rivals = await Promise.all([7, 8, 9, 65].map((secret) => claim(secret, 66)));
    expect(rivals.filter(({ ok }) => ok)).toHaveLength(1);
    for (const secret of [7, 65]) {
      expect(await claim(secret, 66)).toEqual({ ok: false, error: { kind: "already-claimed" } });
    }
  });

  test("[AU1] a secret saved beside a claim does not outlive it", async () => {
    const { accounts } = await open();
    await accounts.server(() => "srv");
    await accounts.saveSetupSecret("hash", 100);
    const [claim] = await Promise.all([
      accounts.claim({
        secretHash: "hash",
        nowMs: 50,
        user: user("owner"),
        device: device("laptop"),
      }),
      accounts.saveSetupSecret("other", 100),
    ]);
    expect(claim).toMatchObject({ ok: true });
    const late = { secretHash: "other", nowMs: 51, user: user("eve"), device: device("eve") };
    expect(await accounts.claim(late)).toMatchObject({ error: { kind: "already-claimed" } });
  });

  test("[AU11] a device link admits one device of its maker, once (abuse 29)", async () => {
    const store = await open();
    const { accounts } = await claimed(store);
    await accounts.createLink(link("link1", "device"));
    const redeem = (name: string, authHash = "auth"): ReturnType<typeof accounts.redeemLink> =>
      accounts.redeemLink({
        id: "link1",
        authHash,
        mac: "mac",
        nowMs: 5,
        device: device(name),
        user: undefined,
      });
    expect(await redeem("desk", "wrong")).toMatchObject({ error: { kind: "invalid-or-expired" } });
    expect(await redeem("laptop")).toMatchObject({ error: { kind: "key-in-use" } });
    const [first, second] = await Promise.all([redeem("desk"), redeem("phone")]);
    expect(first.ok).not.toBe(second.ok);
    const devices = await accounts.devices(laptop);
    expect(devices).toHaveLength(2);
    expect(devices).toContainEqual({
      id: laptop,
      name: "laptop",
      platform: "linux",
      status: "active",
      pairedAt: 50,
      lastSeenAt: null,
      kind: "person",
    });
  });

  test("[AU14] a link's maker sees what became of it, and nobody else does", async () => {
    const { accounts } = await claimed(await open());
    const shared = await team(accounts);
    for (const name of ["link1", "link2"]) await accounts.createLink(link(name, "device"));
    await accounts.createLink({ ...link("inv1", "invite"), namespace: shared, role: "reader" });
    const ask = (id: string, asking: DeviceId = laptop, nowMs = 5) =>
      accounts.linkState({ asking, id, nowMs });
    expect(await ask("link1")).toEqual({ status: "open" });
    expect(await ask("nothing")).toBeUndefined();
    const opened = { authHash: "auth", mac: "mac", nowMs: 5 };
    const joining = { ...opened, id: "link1", device: device("desk"), user: undefined };
    expect(await accounts.redeemLink(joining)).toMatchObject({ ok: true });
    const desk = { id: "dev_desk", name: "desk", joinedName: "desk", thumbprint: "print_desk" };
    expect(await ask("link1")).toEqual({ status: "used", device: desk, mac: "mac" });
    await accounts.renameDevice(laptop, "dev_desk" as DeviceId, "tower");
    const tower = { ...desk, name: "tower" };
    expect(await ask("link1")).toEqual({ status: "used", device: tower, mac: "mac" });
    expect(await ask("link1", "dev_desk" as DeviceId, 999)).toMatchObject({ status: "used" });
    const invited = { ...opened, id: "inv1", device: device("bob"), user: user("bob") };
    expect(await accounts.redeemLink(invited)).toMatchObject({ ok: true });
    expect(await ask("inv1")).toMatchObject({ status: "used", device: { id: "dev_bob" } });
    expect(await ask("inv1", "dev_bob" as DeviceId)).toBeUndefined();
    expect(await ask("link2", "dev_nobody" as DeviceId)).toBeUndefined();
    expect(await ask("link2", laptop, 100)).toEqual({ status: "expired" });
    await accounts.revokeDevice({ asking: "dev_desk" as DeviceId, id: laptop, isForced: true });
    expect(await ask("link2", "dev_desk" as DeviceId)).toEqual({ status: "expired" });
  });

  test("[AU14] an invite that a paired device accepted is used, by no new device", async () => {
    const { accounts } = await claimed(await open());
    const shared = await team(accounts);
    await accounts.createLink({ ...link("inv1", "invite"), namespace: shared, role: "reader" });
    const input = { id: "inv1", authHash: "auth", nowMs: 5, device: laptop };
    expect(await accounts.acceptInvite(input)).toMatchObject({ ok: true });
    const asked = await accounts.linkState({ asking: laptop, id: "inv1", nowMs: 5 });
    expect(asked).toEqual({ status: "used" });
  });

  test("[NS4] an invite makes a person and a member, and dies with its maker's rights", async () => {
    const { accounts } = await claimed(await open());
    const shared = await team(accounts);
    const invite = { ...link("inv1", "invite"), namespace: shared, role: "writer" } as const;
    await accounts.createLink(invite);
    const input = { id: "inv1", authHash: "auth", mac: "m", nowMs: 5, device: device("bob") };
    expect(await accounts.redeemLink({ ...input, user: undefined })).toMatchObject({
      error: { kind: "user-name-needed" },
    });
    const joined = await accounts.redeemLink({ ...input, user: user("bob") });
    expect(joined).toMatchObject({ value: { user: { name: "Olga" }, device: { id: "dev_bob" } } });
    const listed = await accounts.namespaces("dev_bob" as DeviceId);
    expect(listed.map(({ kind, role }) => [kind, role])).toEqual([
      ["personal", "owner"],
      ["team", "writer"],
    ]);
    const bobs = {
      ...invite,
      id: "inv2",
      createdBy: id("usr_bob"),
      createdByDevice: id("dev_bob"),
    };
    await accounts.createLink(bobs as unknown as LinkRow);
    const again = { ...input, id: "inv2", device: device("eve"), user: user("eve") };
    expect(await accounts.redeemLink(again)).toMatchObject({
      error: { kind: "invalid-or-expired" },
    });
  });

  test("accepting an invite never takes rights away", async () => {
    const { accounts } = await claimed(await open());
    const shared = await team(accounts);
    await accounts.createLink({ ...link("inv1", "invite"), namespace: shared, role: "reader" });
    const input = { id: "inv1", authHash: "auth", nowMs: 5, device: laptop };
    expect(await accounts.acceptInvite(input)).toEqual({ ok: true, value: shared });
    expect(await accounts.acceptInvite(input)).toMatchObject({ ok: false });
    const members = await accounts.members({ device: laptop, namespace: shared });
    expect(members).toMatchObject({ value: [{ user: { id: owner }, role: "owner" }] });
  });

  test("[NS2, NS3] members change by rank, and a namespace keeps an owner", async () => {
    const { accounts } = await claimed(await open());
    const shared = await team(accounts);
    await accounts.createLink({ ...link("inv1", "invite"), namespace: shared, role: "writer" });
    const bob = "usr_bob" as UserId;
    await accounts.redeemLink({
      id: "inv1",
      authHash: "auth",
      mac: "m",
      nowMs: 5,
      device: device("bob"),
      user: user("bob"),
    });
    const asOwner = { device: laptop, namespace: shared };
    const asBob = { device: "dev_bob" as DeviceId, namespace: shared };
    expect(await accounts.setRole(asBob, bob, "admin")).toMatchObject({
      error: { kind: "forbidden" },
    });
    expect(await accounts.setRole(asOwner, "usr_x" as UserId, "admin")).toMatchObject({
      error: { kind: "not-found" },
    });
    expect(await accounts.setRole(asOwner, bob, "admin")).toMatchObject({ ok: true });
    expect(await accounts.removeMember(asBob, owner)).toMatchObject({
      error: { kind: "forbidden" },
    });
    expect(await accounts.removeMember(asOwner, owner)).toMatchObject({
      error: { kind: "last-owner" },
    });
    expect(await accounts.removeMember(asBob, bob)).toMatchObject({ ok: true });
    expect(await accounts.members(asBob)).toMatchObject({ error: { kind: "not-found" } });
  });

  test("devices are their person's: named, seen, revoked", async () => {
    const store = await open();
    const { accounts } = await claimed(store);
    expect(await accounts.device(laptop)).toEqual({
      id: laptop,
      user: owner,
      name: "laptop",
      status: "active",
      key: device("laptop").key,
      thumbprint: "print_laptop",
      kind: "person",
    });
    expect(await accounts.renameDevice(laptop, laptop, "old laptop")).toBe(true);
    expect(await accounts.renameDevice("dev_x" as DeviceId, laptop, "mine")).toBe(false);
    await accounts.touchDevice(laptop, 77);
    expect(await accounts.identity(laptop)).toEqual({
      user: { id: owner, name: "Olga" },
      device: { id: laptop, name: "old laptop" },
      hasSealingKey: false,
    });
    expect(
      await accounts.revokeDevice({ asking: "dev_x" as DeviceId, id: laptop, isForced: true }),
    ).toMatchObject({ ok: false });
    expect(
      await accounts.revokeDevice({ asking: laptop, id: laptop, isForced: true }),
    ).toMatchObject({ ok: true });
    expect(await accounts.identity(laptop)).toBeUndefined();
    const [listed] = await accounts.devices(laptop);
    expect(listed).toMatchObject({ status: "revoked", lastSeenAt: 77 });
    const access = await store.readNamespace(namespace, (tx) => tx.access(laptop));
    expect(access).toBeUndefined();
  });

  test("heads are read for many namespaces at once", async () => {
    const store = await open();
    const { accounts } = await claimed(store);
    await save(store, [live("r1", 1)]);
    const namespaces = [namespace, "ns_none" as NamespaceId];
    const devices = [laptop, "dev_none" as DeviceId];
    const watch = () => accounts.watched({ namespaces, devices });
    const heads = new Map([[namespace, 1]]);
    expect(await watch()).toEqual({ heads, revoked: [] });
    await accounts.revokeDevice({ asking: laptop, id: laptop, isForced: true });
    expect(await watch()).toEqual({ heads, revoked: [laptop] });
  });
}
