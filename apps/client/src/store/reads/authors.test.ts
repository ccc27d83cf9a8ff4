import type { JsonObject, NamespaceId, RecordId } from "@tidemark/protocol";
import { beforeEach, expect, test } from "vitest";
import type { Store } from "../store.ts";
import { sha256 } from "../../platform/hash.ts";
import { reviewOf } from "./review.ts";
import { pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom } from "../testing/test-store.ts";

const namespace = "ns_1" as NamespaceId;
/** The clock of test stores. */
const testNowMs = 1_700_000_000_000;
const id = "record1" as RecordId;

let server: TestServer;
let mine: Store;
let other: Store;
let mate: Store;

function open(device: string, user: string): Store {
  const identity = {
    device: { id: `dev_${device}`, name: device },
    user: { id: `usr_${user}`, name: user },
  };
  return pairedStore(server, { random: seededRandom(device), identity });
}

function put(store: Store, fields: JsonObject): void {
  const change = { kind: "put", id, collection: "observation", fields: scrubbed(fields) } as const;
  const made = store.changes.change(namespace, [change], 1);
  if (!made.ok) throw new Error(made.error.kind);
}

function sync(): void {
  for (const store of [mine, other, mate, mine, other, mate]) settle(store, server);
}

/** Pins as a person does who looks at it: from off to on, for what is set already makes no op. */
function pin(store: Store): void {
  const view = store.reads.get(namespace, id);
  const isSet = view?.fields["pinnedOrigin"] !== undefined;
  if (isSet) put(store, { pinned: false, pinnedOrigin: null, pinnedOf: null });
  const pinnedOf = reviewOf(sha256, view?.fields ?? {});
  put(store, { pinned: true, pinnedOrigin: "user", pinnedOf });
}

function read(store: Store) {
  return store.reads.observation(namespace, id);
}

beforeEach(() => {
  server = new TestServer(namespace);
  mine = open("mine", "ada");
  other = open("other", "ada");
  mate = open("mate", "grace");
  const stores = [mine, other, mate];
  for (const [index, store] of stores.entries()) {
    const warm = `warm${index}` as RecordId;
    const change = {
      kind: "put",
      id: warm,
      collection: "session",
      fields: scrubbed({ agent: "a" }),
    } as const;
    store.changes.change(namespace, [change], 1);
  }
  const [device, user] = [
    ["mine", "other", "mate"],
    ["ada", "ada", "grace"],
  ];
  server.writers = stores.map((store, index) => ({
    writer: store.replicas.replica(namespace)?.writer as never,
    device: `dev_${device?.[index]}` as never,
    deviceName: device?.[index] ?? "",
    user: `usr_${user?.[index]}` as never,
    userName: user?.[index] ?? "",
  }));
});

test("[ST13] an edit on another device than the author's names who made it", () => {
  put(mine, { title: "of ada", origin: "user" });
  put(mine, { title: "of ada still" });
  sync();
  expect(read(mate)).toMatchObject({ author: { user: "ada", device: "mine" }, editedBy: null });
  put(other, { title: "of ada elsewhere" });
  sync();
  expect(read(mine)?.editedBy).toEqual({ user: "ada", device: "other" });
  put(mate, { narrative: "of grace" });
  sync();
  put(mine, { title: "of ada again" });
  sync();
  expect(read(mine)).toMatchObject({
    author: { user: "ada", device: "mine" },
    editedBy: { user: "grace", device: "mate" },
  });
});

test("[RC29] a member of less than a day is trusted 1, until that day is over or somebody has looked (abuse 158)", () => {
  const dayMs = 86_400_000;
  const joined = (agoMs: number): void => {
    const joinedAt = testNowMs - agoMs;
    server.writers = server.writers.map((each) => (each.user === "usr_grace" ? { ...each, joinedAt } : each)); // prettier-ignore
    put(mate, { title: `of grace, ${agoMs} ms a member`, origin: "user" });
    sync();
  };
  joined(dayMs - 1);
  expect([read(mine)?.trust, read(mate)?.trust]).toEqual([1, 4]);
  pin(mine);
  expect(read(mine)?.trust).toBe(2);
  joined(dayMs);
  expect([read(mine)?.trust, read(other)?.trust]).toEqual([2, 2]);
});

test("[RC29] a new person's own devices trust each other", () => {
  server.writers = server.writers.map((each) => ({ ...each, joinedAt: testNowMs - 1 }));
  put(mine, { title: "of ada", origin: "user" });
  sync();
  expect([read(mine)?.trust, read(other)?.trust, read(mate)?.trust]).toEqual([4, 3, 1]);
});

test("[ST13] a pin or an archive by somebody else edits no words", () => {
  put(mine, { title: "of ada", origin: "user" });
  sync();
  put(mate, { pinned: true, pinnedOrigin: "user", archived: true });
  sync();
  expect(read(mine)).toMatchObject({ pinned: true, editedBy: null, trust: 4 });
});

test("[RC13] a person's pin on a device of their own lifts an import to 2, here and there", () => {
  put(mine, { title: "imported", origin: "import" });
  sync();
  expect(read(mine)?.trust).toBe(1);
  pin(other);
  sync();
  expect([read(mine)?.trust, read(other)?.trust, read(mate)?.trust]).toEqual([2, 2, 1]);
  put(mine, { pinned: false });
  expect(read(mine)?.trust).toBe(1);
});

test.each([
  ["a model's", { pinned: true, pinnedOrigin: "agent" }],
  ["a file's", { pinned: true, pinnedOrigin: "import" }],
  ["one of unknown make", { pinned: true }],
])("[RC13] a pin lifts nothing where it is %s", (_whose, fields) => {
  put(mine, { title: "imported", origin: "import", ...fields });
  expect(read(mine)?.trust).toBe(1);
});

test("[RC13] a team-mate's pin lifts nothing, and what they write after mine is not reviewed", () => {
  put(mine, { title: "imported", origin: "import" });
  sync();
  pin(mate);
  sync();
  expect(read(mine)?.trust).toBe(1);
  put(mine, { pinned: false });
  pin(mine);
  sync();
  expect(read(mine)?.trust).toBe(2);
  put(mate, { narrative: "slipped in" });
  sync();
  expect(read(mine)?.trust).toBe(1);
});

test("[RC13] a review is of the words that stood there: neither others nor a model change them after it", () => {
  put(mine, { title: "imported", origin: "import" });
  pin(mine);
  expect(read(mine)).toMatchObject({ reviewed: true, trust: 2 });
  put(mine, { narrative: "slipped in", editedOrigin: "agent" });
  expect(read(mine)).toMatchObject({ reviewed: false, trust: 1 });
  put(mine, { pinned: false });
  pin(mine);
  expect(read(mine)).toMatchObject({ reviewed: true });
  put(mine, { narrative: "by hand", editedOrigin: "user" });
  expect(read(mine)).toMatchObject({ reviewed: true });
});

test("[RC13] what others write after a review under an older clock is not reviewed", () => {
  put(mine, { title: "imported", origin: "import" });
  sync();
  // Their words carry a clock from before the pin, and come after it.
  put(mate, { narrative: "slipped in" });
  for (let more = 0; more < 5; more += 1) put(mine, { title: `imported ${more}` });
  pin(mine);
  expect(read(mine)).toMatchObject({ reviewed: true, narrative: "" });
  sync();
  expect(read(mine)).toMatchObject({ reviewed: false, narrative: "slipped in", trust: 1 });
  pin(mine);
  expect(read(mine)).toMatchObject({ reviewed: true, trust: 2 });
});

test("[RC13] a pin that says nothing of what was seen is no review", () => {
  put(mine, { title: "imported", origin: "import", pinned: true, pinnedOrigin: "user" });
  expect(read(mine)).toMatchObject({ reviewed: false, trust: 1 });
});

function pairTeam(store: Store, role: "reader" | "writer" | "admin"): void {
  store.replicas.takeNamespaces("server-1", [
    { id: namespace, name: "team", kind: "team", role, head: 0 },
  ]);
}

test("[ST21] what a machine wrote counts 1, be it a team-mate's or one's own, and its pin is no review", () => {
  put(other, { title: "of a job", origin: "user" });
  sync();
  expect(read(mine)?.trust).toBe(3);
  expect(read(mate)?.trust).toBe(2);
  server.writers = server.writers.map((known, at) =>
    at === 1 ? { ...known, machine: true } : known,
  );
  put(other, { pinned: true, pinnedOrigin: "user" });
  sync();
  expect(read(mine)?.trust).toBe(1);
  expect(read(mate)?.trust).toBe(1);
  expect(read(mate)?.author).toEqual({ user: "ada", device: "other" });
});

test("[NS19] a writer may forget their own records, an admin everybody's, both conflicts", () => {
  put(mine, { title: "of ada", origin: "user", createdAt: 1 });
  sync();
  for (const store of [mine, other, mate]) pairTeam(store, "writer");
  const may = (store: Store, record = id): boolean => store.reads.mayForget(namespace, record);
  expect([may(mine), may(other), may(mate)]).toEqual([true, true, false]);
  expect(may(mate, "nobody-knows" as RecordId)).toBe(true);
  pairTeam(mate, "admin");
  expect(may(mate)).toBe(true);
});

test("[NS19] a record whose author nobody has named is left to the server", () => {
  server.writers = [];
  put(mine, { title: "of ada", origin: "user", createdAt: 1 });
  sync();
  pairTeam(mate, "writer");
  expect(mate.reads.mayForget(namespace, id)).toBe(true);
});

test("[NS19] conflicts are every writer's to forget", () => {
  put(mine, { title: "one", origin: "user" });
  sync();
  put(mine, { title: "of ada" });
  put(other, { title: "of ada too" });
  sync();
  pairTeam(mate, "writer");
  const [conflict] = mate.reads.conflicts();
  if (conflict === undefined) throw new Error("no conflict");
  expect(mate.reads.mayForget(namespace, conflict.id)).toBe(true);
  expect(mate.reads.mayForget(namespace, id)).toBe(false);
});
