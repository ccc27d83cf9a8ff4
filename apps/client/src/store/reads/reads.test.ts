import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import {
  localNamespace,
  type JsonObject,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom, testStore } from "../testing/test-store.ts";

const personal = "personal" as NamespaceId;
const namespace = "ns_1" as NamespaceId;
const id = (text: string): RecordId => text as RecordId;

function save(store: Store, record: string, fields: JsonObject, place = personal): void {
  const put = {
    kind: "put",
    id: id(record),
    collection: "observation",
    fields: scrubbed(fields),
  } as const;
  const made = store.changes.change(place, [put], 1);
  if (!made.ok) throw new Error(made.error.kind);
}

function damageIndex(store: Store): void {
  const raw = new Sqlite(store.path);
  raw.unsafeMode(true);
  raw.exec("DELETE FROM search_data");
  raw.close();
}

const ids = (list: readonly { readonly id: string }[]): readonly string[] =>
  list.map((one) => one.id);

test("an observation has every field in its shape, whatever another version wrote there", () => {
  const store = testStore({ identity: { device: { id: "dev_1", name: "laptop" } } });
  save(store, "record1", {
    title: "t",
    kind: "fix",
    narrative: 7,
    facts: ["a", 1, "b"],
    concepts: "no list",
    pinned: "yes",
    origin: "martian",
    project: "p",
    createdAt: 500,
  });
  expect(store.reads.observation(personal, id("record1"))).toEqual({
    id: "record1",
    namespace: personal,
    project: "p",
    kind: "fix",
    title: "t",
    narrative: "",
    facts: ["a", "b"],
    concepts: [],
    filesRead: [],
    filesModified: [],
    pinned: false,
    archived: false,
    supersededBy: null,
    author: { user: null, device: "laptop" },
    editedBy: null,
    origin: "web",
    trust: 1,
    reviewed: false,
    agent: null,
    session: null,
    createdAt: 500,
    lamport: 1,
    seq: null,
  });
});

test("[ST7] a record is found by its id or by a beginning of six characters that is its alone", () => {
  const store = testStore();
  save(store, "abcdefgh1", { title: "one" });
  save(store, "abcdefgh2", { title: "two" });
  save(store, "abcdef", { title: "three" });
  const find = (text: string): unknown => {
    const found = store.reads.find(text);
    return found.ok ? found.value.fields["title"] : found.error.kind;
  };
  expect(find("abcdefgh1")).toBe("one");
  expect(find("abcdef")).toBe("three");
  expect(find("abcdefg")).toBe("ambiguous");
  expect(find("abcde")).toBe("too-short");
  expect(find("abcdefghi")).toBe("unknown-record");
  expect(find("no id'; --")).toBe("unknown-record");
});

test("a list filters by namespace, project, kind, session, pin, time and id", () => {
  const store = testStore();
  save(store, "a", { title: "a", kind: "fix", project: "p", session: "s", createdAt: 1 });
  save(store, "b", { title: "b", kind: "note", project: "q", pinned: true, createdAt: 2 });
  save(store, "c", { title: "c", kind: "fix", project: "p", archived: true, createdAt: 3 });
  save(store, "d", { title: "d", kind: "fix", project: "p", supersededBy: "a", createdAt: 4 });
  save(store, "e", { title: "e", kind: "fix", project: "p", createdAt: 5 }, localNamespace);
  const list = (filter: Parameters<Store["reads"]["list"]>[0]): readonly string[] =>
    ids(store.reads.list(filter));
  expect(list({})).toEqual(["e", "b", "a"]);
  expect(list({ includeHidden: true })).toEqual(["e", "d", "c", "b", "a"]);
  expect(list({ order: "oldest" })).toEqual(["a", "b", "e"]);
  expect(list({ limit: 1, offset: 1 })).toEqual(["b"]);
  expect(list({ namespaces: [personal] })).toEqual(["b", "a"]);
  expect(list({ namespaces: [] })).toEqual([]);
  expect(list({ project: "p", kinds: ["fix"] })).toEqual(["e", "a"]);
  expect(list({ session: "s" })).toEqual(["a"]);
  expect(list({ pinned: true })).toEqual(["b"]);
  expect(list({ sinceMs: 2, beforeMs: 5 })).toEqual(["b"]);
  expect(list({ ids: [id("a"), id("c")] })).toEqual(["a"]);
  expect(store.reads.count({ limit: 1 })).toBe(3);
  expect(store.reads.counts()).toEqual({ observations: 5, sessions: 0, conflicts: 0, records: 1 });
});

test("a search matches stems in title, text and tags, and ranks a title above the rest", () => {
  const store = testStore();
  save(store, "inText", { title: "other", narrative: "the deadlock was in the pool" });
  save(store, "inTitle", { title: "Deadlocks in the pool" });
  save(store, "inTags", {
    title: "third",
    concepts: ["deadlock"],
    "tag/urgent": true,
    "tag/off": false,
  });
  expect(new Set(ids(store.reads.search("deadlock", {}).map((hit) => hit.observation)))).toEqual(
    new Set(["inTitle", "inTags", "inText"]),
  );
  expect(store.reads.search("deadlock", {})[0]?.observation.id).toBe("inTitle");
  expect(ids(store.reads.search("urgent", {}).map((hit) => hit.observation))).toEqual(["inTags"]);
  expect(store.reads.search("off", {})).toEqual([]);
  expect(store.reads.search("deadlock", { limit: 1 }).length).toBe(1);
  expect(store.reads.countMatches("deadlock", { limit: 1 })).toBe(3);
  expect(store.reads.search("title: pool", {}).length).toBe(1);
});

test("the index follows the view: an edit, a pin and an archive", () => {
  const store = testStore();
  save(store, "record1", { title: "before" });
  save(store, "record1", { title: "after" });
  expect(store.reads.search("before", {})).toEqual([]);
  expect(store.reads.search("after", {}).length).toBe(1);
  save(store, "record1", { archived: true });
  expect(store.reads.search("after", {})).toEqual([]);
  expect(store.reads.search("after", { includeHidden: true }).length).toBe(1);
});

test("[ST6] a damaged index blocks no capture, and a search repairs it", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-index-"));
  const store = testStore({ path: join(folder, "tidemark.db") });
  save(store, "record1", { title: "first" });
  damageIndex(store);
  save(store, "record2", { title: "second" });
  expect(store.upkeep.check()).toMatchObject([{ kind: "search" }]);
  expect(
    ids(store.reads.search("first OR second", {}).map((hit) => hit.observation)).toSorted(),
  ).toEqual(["record1", "record2"]);
  expect(store.upkeep.check()).toEqual([]);
  damageIndex(store);
  save(store, "record2", { title: "third" });
  expect(store.upkeep.repairSearch()).toBe(true);
  expect(store.upkeep.repairSearch()).toBe(false);
  expect(store.reads.search("third", {}).length).toBe(1);
  store.close();
  rmSync(folder, { recursive: true });
});

test("[ST8] history shows what is current, unsent, past and in conflict, newest first", () => {
  const server = new TestServer(namespace);
  const a = pairedStore(server, { random: seededRandom("a") });
  const b = pairedStore(server, { random: seededRandom("b") });
  save(a, "record1", { title: "one" }, namespace);
  settle(a, server);
  settle(b, server);
  save(a, "record1", { title: "of a" }, namespace);
  save(b, "record1", { title: "of b" }, namespace);
  settle(a, server);
  settle(b, server);
  settle(a, server);
  save(a, "record1", { title: "last" }, namespace);
  const history = a.reads.history(namespace, id("record1"));
  expect(history.map(({ value, state }) => [value, state])).toEqual([
    ["last", "unsent"],
    expect.arrayContaining([expect.stringMatching(/^of/)]),
    expect.arrayContaining([expect.stringMatching(/^of/)]),
    ["one", "past"],
  ]);
  expect(new Set(history.slice(1, 3).map(({ state }) => state))).toEqual(
    new Set(["past", "conflict"]),
  );
});

test("authors are trusted by who they are, by the origin, and by the least trusted hand in the words", () => {
  const server = new TestServer(namespace);
  const people = { dana: "usr_dana", eli: "usr_eli" } as const;
  const open = (name: string, person: keyof typeof people): Store =>
    pairedStore(server, {
      random: seededRandom(name),
      identity: { device: { id: `dev_${name}`, name }, user: { id: people[person], name: person } },
    });
  const [mine, other, mate] = [open("mine", "dana"), open("other", "dana"), open("mate", "eli")];
  save(mine, "byMe", { title: "t", origin: "user" }, namespace);
  save(mine, "tool", { title: "t", origin: "tool" }, namespace);
  save(mine, "edited", { title: "t", origin: "user" }, namespace);
  save(other, "byOther", { title: "t", origin: "user" }, namespace);
  save(mate, "byMate", { title: "t", origin: "user" }, namespace);
  for (const store of [mine, other, mate, mine, mate]) settle(store, server);
  const writerOf = (store: Store): unknown => store.replicas.replica(namespace)?.writer;
  server.writers = [mine, other, mate].map((store, index) => ({
    writer: writerOf(store) as never,
    device: ["dev_mine", "dev_other", "dev_mate"][index] as never,
    deviceName: ["mine", "other", "mate"][index] ?? "",
    user: [people.dana, people.dana, people.eli][index] as never,
    userName: ["dana", "dana", "eli"][index] ?? "",
  }));
  save(mate, "edited", { title: "changed" }, namespace);
  save(mate, "byMe", { pinned: true }, namespace);
  for (const store of [mate, mine]) settle(store, server);
  const trust = Object.fromEntries(mine.reads.list({}).map((one) => [one.id, one.trust]));
  expect(trust).toEqual({ byMe: 4, tool: 2, edited: 2, byOther: 3, byMate: 2 });
  expect(mine.reads.observation(namespace, id("byMate"))?.author).toEqual({
    user: "eli",
    device: "mate",
  });
  mine.setIdentity({ device: { id: "dev_mine", name: "renamed" } });
  expect(mine.reads.observation(namespace, id("byMe"))?.author.device).toBe("renamed");
});

test("records of any collection are read, with children, newest first", () => {
  const store = testStore();
  const put = (record: string, collection: string, atMs: number, parent?: string): void => {
    const fields = scrubbed({ later: { field: [1] } });
    const under = parent === undefined ? {} : { parent: id(parent) };
    store.changes.change(
      personal,
      [{ kind: "put", id: id(record), collection, fields, ...under }],
      atMs,
    );
  };
  put("session1", "session", 1);
  put("session2", "session", 2);
  put("note1", "observation", 3, "session1");
  put("task1", "handoff", 4, "session1");
  expect(ids(store.reads.records("session"))).toEqual(["session2", "session1"]);
  expect(ids(store.reads.children(personal, id("session1")))).toEqual(["task1", "note1"]);
  expect(ids(store.reads.children(personal, id("session1"), "handoff"))).toEqual(["task1"]);
  expect(store.reads.get(personal, id("task1"))).toMatchObject({
    parent: "session1",
    fields: { later: { field: [1] } },
    createdAtMs: 4,
    state: "unsent",
  });
  expect(store.reads.counts(personal)).toMatchObject({ observations: 1, sessions: 2 });
});

test("a session keeps its last 200 events, each once, and knows what it was given", () => {
  const store = testStore();
  const add = (key: string, session = "s1", atMs = 1): boolean =>
    store.sessions.addEvent({ key, session, atMs, payload: { key } as never });
  for (let n = 0; n < 205; n += 1) expect(add(`k${n}`)).toBe(true);
  expect(add("k204")).toBe(false);
  expect(add("k1", "s2")).toBe(true);
  const events = store.sessions.events("s1");
  expect([events.length, events[0]?.payload, events.at(-1)?.payload]).toEqual([
    200,
    { key: "k5" },
    { key: "k204" },
  ]);
  expect(store.sessions.events("s1", 2).map(({ key }) => key)).toEqual(["k203", "k204"]);
  const give = (session: string, records: readonly string[], atMs: number): void => {
    const items = records.map((each) => ({ id: id(each), tokens: 40 }));
    store.sessions.addGiving({ session, atMs, tokens: 200, tokensMax: 1_500, items });
  };
  give("s1", ["r1", "r2"], 1);
  give("s1", ["r2"], 2);
  expect(store.sessions.injected("s1")).toEqual(new Set(["r1", "r2"]));
  expect(store.sessions.injected("s2")).toEqual(new Set());
  give("s2/of a host", ["r3"], 30);
  expect(store.sessions.givings(9).map(({ session, atMs }) => [session, atMs])).toEqual([
    ["s2/of a host", 30],
    ["s1", 2],
    ["s1", 1],
  ]);
  expect(store.sessions.givings(1, "s1")).toEqual([
    { session: "s1", atMs: 2, tokens: 200, tokensMax: 1_500, items: [{ id: "r2", tokens: 40 }] },
  ]);
  store.sessions.trim(2);
  expect(store.sessions.givings(9).map(({ atMs }) => atMs)).toEqual([30, 2]);
  expect(store.sessions.events("s1")).toEqual([]);
  expect(store.sessions.injected("s1")).toEqual(new Set());
});

test("a project is bound to a namespace that is there, else to the personal one", () => {
  const store = testStore();
  expect(store.bindings.namespaceOf("p")).toBe(personal);
  expect(store.bindings.bind("p", "ns_none" as NamespaceId)).toMatchObject({ ok: false });
  expect(store.bindings.bind("p", localNamespace)).toMatchObject({ ok: true });
  expect(store.bindings.namespaceOf("p")).toBe(localNamespace);
  expect(store.bindings.all()).toEqual([{ project: "p", namespace: localNamespace }]);
  store.bindings.unbind("p");
  expect(store.bindings.namespaceOf("p")).toBe(personal);
});

test("single facts are kept by name", () => {
  const store = testStore();
  store.upkeep.setMeta("a", "1");
  store.upkeep.setMeta("a", "2");
  expect(store.upkeep.meta("a")).toBe("2");
  store.upkeep.changeMeta("a", (before) => `${before ?? ""}3`);
  expect(store.upkeep.meta("a")).toBe("23");
  store.upkeep.changeMeta("a", () => undefined);
  expect(store.upkeep.meta("a")).toBeUndefined();
  store.upkeep.setMeta("a", undefined);
  expect(store.upkeep.meta("a")).toBeUndefined();
});

test("[TM6] how long a list is is told before it is read, and what went meanwhile is passed over", () => {
  const store = testStore();
  const records = Array.from({ length: 250 }, (_, index) => `record${index}`);
  for (const record of records) save(store, record, { title: record });
  const { total, observations } = store.reads.walk({ limit: 220 });
  expect(total).toBe(220);
  const seen: string[] = [];
  for (const { id } of observations) {
    seen.push(id);
    if (seen.length === 1) {
      store.changes.change(personal, [{ kind: "forget", id: "record30" as RecordId }], 1);
    }
  }
  const newest = store.reads.list({ limit: 219 }).map(({ id }) => id);
  expect(seen).toEqual(newest);
  store.close();
});
