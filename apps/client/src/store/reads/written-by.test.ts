import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../store.ts";
import { pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom } from "../testing/test-store.ts";
import { knownAuthor } from "../../recall/author.ts";

const namespace = "ns_1" as NamespaceId;
let server: TestServer;
let mine: Store;
let mate: Store;

function open(device: string, user: string): Store {
  const identity = {
    device: { id: `dev_${device}`, name: device },
    user: { id: `usr_${user}`, name: user },
  };
  return pairedStore(server, { random: seededRandom(device), identity });
}

function save(store: Store, id: string, title: string): void {
  const fields = scrubbed({ title, createdAt: 1 });
  const kind = store.reads.get(namespace, id as RecordId) === undefined ? "put" : "set";
  const change = { kind, id: id as RecordId, collection: "observation", fields } as never;
  const made = store.changes.change(namespace, [change], 1);
  if (!made.ok) throw new Error(made.error.kind);
}

const writer = (store: Store, device: string, user: string) => ({
  writer: store.replicas.replica(namespace)?.writer as never,
  device: `dev_${device}` as never,
  deviceName: device,
  user: `usr_${user}` as never,
  userName: user,
});

const by = (store: Store, author: string): readonly string[] => {
  const filter = { namespaces: [namespace], author };
  const listed = store.reads.list({ ...filter, limit: 10 }).map(({ id }) => id);
  const found = store.reads.search('"login"', filter).map(({ observation }) => observation.id);
  expect(found.toSorted()).toEqual(listed.toSorted());
  expect(store.reads.count(filter)).toBe(listed.length);
  expect(store.reads.countMatches('"login"', filter)).toBe(listed.length);
  return listed.toSorted();
};

beforeEach(() => {
  server = new TestServer(namespace);
  mine = open("Laptop", "Ada");
  mate = open("thinkpad", "Grace");
  save(mine, "record-mine", "login of mine");
  save(mate, "record-mates", "login of a mate");
  server.writers = [writer(mine, "Laptop", "Ada"), writer(mate, "thinkpad", "Grace")];
  for (const store of [mine, mate, mine]) settle(store, server);
});

afterEach(() => {
  mine.close();
  mate.close();
});

test("[RC27] a list and a search are narrowed to a person or a device, whatever the case", () => {
  for (const name of ["grace", "GRACE", "ThinkPad"]) expect(by(mine, name)).toEqual(["record-mates"]); // prettier-ignore
  for (const name of ["ada", "laptop", "me", "Me"]) expect(by(mine, name)).toEqual(["record-mine"]);
  expect(by(mate, "me")).toEqual(["record-mates"]);
  expect(by(mine, "nobody")).toEqual([]);
});

test("[RC27] who edited it later is not its author, and what waits to be sent has one already", () => {
  save(mine, "record-mates", "login, edited here");
  save(mine, "record-new", "login, not sent yet");
  expect(by(mine, "grace")).toEqual(["record-mates"]);
  expect(by(mine, "me")).toEqual(["record-mine", "record-new"]);
});

test("[RC27] a name of nobody is told with those that are known", () => {
  expect(knownAuthor(mine.reads, "grase")).toEqual({
    ok: false,
    error: {
      code: "unknown-author",
      message: "nobody called grase has written anything that this device knows",
      hint: "known are me, Ada, Laptop, Grace, thinkpad",
    },
  });
  expect(knownAuthor(mine.reads, "grace")).toEqual({ ok: true, value: "grace" });
  expect(knownAuthor(mine.reads, "me").ok).toBe(true);
  expect(knownAuthor(mine.reads, undefined)).toEqual({ ok: true, value: undefined });
});
