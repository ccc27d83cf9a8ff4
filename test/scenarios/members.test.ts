/** Devices whose rights change, namespaces that go and come back, and several of them at once. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyAccounts } from "../../apps/server/src/store/memory/copy-accounts.ts";
import type { NamespaceId, RecordId, Role } from "../../packages/protocol/src/index.ts";
import type { SyncOutcome } from "../../apps/client/src/sync/outcome.ts";
import type { Device } from "./device.ts";
import { createWorld, settle, valueOf, type Server, type World } from "./world.ts";

let world: World;
let server: Server;
let team: NamespaceId;
let a: Device;
/** The owner's device, seen from the team. */
let owner: Device;
/** Another person's device. */
let m: Device;

const { signal } = new AbortController();

beforeEach(async () => {
  world = await createWorld();
  ({ server, a } = world);
  team = await world.team("crew");
  owner = a.at(team);
  m = await world.member("mia", team, "writer");
  owner.put("record1", { title: "shared" });
  await settle(world, owner, m);
});

afterEach(() => {
  world.close();
});

async function setRole(role: Role): Promise<void> {
  valueOf(await a.accounts.setRole({ namespace: team, user: m.user }, role, signal));
}

test("[NS11, NS14] a removed member's unsent ops are kept, can be exported, and go out when they are back", async () => {
  m.set("record1", { title: "of mia" });
  m.put("record2", { title: "unsent" });
  const { writer } = m.replica;
  valueOf(await a.accounts.removeMember({ namespace: team, user: m.user }, signal));
  expect(await m.push()).toBe("failed: not-found");
  expect(m.replica).toMatchObject({ status: "active", unsent: 2 });
  await m.sync();
  expect(m.replica).toMatchObject({ status: "parked", unsent: 2, rejected: 0 });
  expect(m.replica.notice).toContain("everything here is kept");
  expect(m.titles()).toEqual({ record1: "of mia", record2: "unsent" });
  expect([...m.store.reads.exportLines(team)]).toHaveLength(2);
  const refused = { kind: "forget", id: "record1" as RecordId } as const;
  expect(m.change(refused)).toMatchObject({ ok: false, error: { kind: "parked" } });
  const sent = m.count("push");
  await m.sync();
  expect(m.count("push")).toBe(sent);
  // As if they had been invited again.
  server.namespace(team).members.set(m.user, "writer");
  await settle(world, m, owner);
  expect(m.replica).toMatchObject({ status: "active", writer, notice: undefined });
  expect(owner.titles()).toEqual({ record1: "of mia", record2: "unsent" });
});

test("[NS14] a namespace that is deleted and brought back goes on where it was, without a heal", async () => {
  m.put("record2", { title: "unsent" });
  const { cursor } = m.replica;
  const { namespaces } = server.accounts();
  const deleted = server.namespace(team);
  namespaces.delete(team);
  await m.sync();
  expect(m.replica).toMatchObject({ status: "parked", cursor, unsent: 1 });
  expect(m.titles()).toEqual({ record1: "shared", record2: "unsent" });
  namespaces.set(team, deleted);
  await settle(world, m, owner);
  expect(owner.title("record2")).toBe("unsent");
  expect(m.count("digests") + owner.count("digests")).toBe(0);
});

test("[NS11] a sync under which a namespace is deleted looks it up, and says that it is gone", async () => {
  m.put("record2", { title: "unsent" });
  const { namespaces } = server.accounts();
  const deleted = server.namespace(team);
  const held = m.hold("push");
  const syncing = m.sync();
  await held.left;
  namespaces.delete(team);
  held.arrives();
  const crewOf = ({ namespaces: all }: SyncOutcome) =>
    all.find(({ namespace }) => namespace === team);
  const gone = { state: "parked", isDone: false, unsent: 1, failure: undefined };
  expect(crewOf(await syncing)).toMatchObject(gone);
  expect(m.replica).toMatchObject({ status: "parked", unsent: 1, rejected: 0 });
  namespaces.set(team, deleted);
  await settle(world, m, owner);
  expect(owner.title("record2")).toBe("unsent");
});

test("[HL25] a namespace that is brought back from an older backup is healed, forgets included", async () => {
  const old = copyAccounts(server.accounts()).namespaces.get(team);
  if (old === undefined) throw new Error("the namespace is there");
  owner.put("record2", { title: "lost by the backup" });
  owner.forget("record1");
  await settle(world, owner, m);
  const { namespaces } = server.accounts();
  namespaces.delete(team);
  await m.sync();
  await owner.sync();
  namespaces.set(team, old);
  await settle(world, owner, m);
  expect(m.titles()).toEqual({ record2: "lost by the backup" });
  expect(server.title(team, "record1")).toBeUndefined();
});

test("[HL37, HL25] what its author forgot stays forgotten, though others bring it back to a restored server first", async () => {
  const n = await world.member("nia", team, "writer");
  await settle(world, n);
  const backup = server.backup();
  m.put("record2", { title: "of mia" });
  await settle(world, m, owner, n);
  m.forget("record2");
  await m.sync();
  await n.sync();
  server.restore(backup);
  await owner.sync();
  expect(server.title(team, "record2")).toBe("of mia");
  await n.sync();
  expect(n.replica.notice).toContain("only on this device");
  await settle(world, m, owner, n);
  for (const device of [m, owner, n]) expect(device.titles()).toEqual({ record1: "shared" });
});

test("[EN10] of two namespaces the one that fails does not stop the other", async () => {
  server.broken.add(team);
  owner.put("record2", { title: "waits" });
  a.put("record1", { title: "personal" });
  expect(await a.sync()).toMatchObject({ isDone: false });
  expect([a.isSynced, owner.isSynced]).toEqual([true, false]);
  expect(server.title(a.namespace, "record1")).toBe("personal");
  expect(owner.replica.unsent).toBe(1);
  server.broken.clear();
  await settle(world, owner, m);
  expect(m.title("record2")).toBe("waits");
});

test("[CH10] a restored home is found in each namespace by itself", async () => {
  a.put("record1", { title: "personal" });
  await a.sync();
  const home = a.backup();
  const writer = a.replica.writer;
  owner.put("record2", { title: "after the backup" });
  await owner.sync();
  a.restore(home);
  expect(await owner.pull()).toBe("fork: home-restored");
  expect(await a.pull()).toBe("taken");
  expect(a.replica).toMatchObject({ writer, notice: undefined });
  await settle(world, owner, m);
  expect(owner.titles()).toEqual({ record1: "shared", record2: "after the backup" });
});

test("[NS12, NS5] a reader's edit is refused at once, or stays with them; it reaches nobody, by no way", async () => {
  m.set("record1", { title: "made before they knew" });
  await setRole("reader");
  expect(await m.push()).toBe("taken");
  expect(m.store.reads.rejected(team)).toMatchObject([{ record: "record1", code: "forbidden" }]);
  expect(m.title("record1")).toBe("made before they knew");
  await m.sync();
  expect(m.replica).toMatchObject({ role: "reader", verified: true, needsHeal: false });
  expect(m.count("digests")).toBe(0);
  const edit = { kind: "forget", id: "record1" as RecordId } as const;
  expect(m.change(edit)).toMatchObject({ ok: false, error: { kind: "read-only" } });
  m.store.replicas.demandHeal(team, "asked for");
  await settle(world, m, owner);
  expect(owner.title("record1")).toBe("shared");
  expect(server.title(team, "record1")).toBe("shared");
  expect(m.replica.rejected).toBe(1);
});
