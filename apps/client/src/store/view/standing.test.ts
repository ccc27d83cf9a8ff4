import type { JsonValue } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { pairedStore, pullAll, settle } from "../testing/exchange.ts";
import type { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom } from "../testing/test-store.ts";
import { disagreeing, id, make, namespace, put, world } from "../testing/world.ts";

/** A store that tells what it said to SQLite. */
function watched(server: TestServer) {
  const said: string[] = [];
  const probe = (sql: string): void => void said.push(sql);
  const store = pairedStore(server, { random: seededRandom("b"), probe });
  const wholeReads = (): number =>
    said.filter((sql) => /fields, clocks/.test(sql) && /FROM records\b/.test(sql) && /id = \?/.test(sql)).length; // prettier-ignore
  return { store, wholeReads, forget: () => said.splice(0) };
}

const children = 30;

test("[ST24] a page reads nothing of a parent's fields, however many children come", () => {
  const { server, a } = world();
  const { store, wholeReads, forget } = watched(server);
  const items = Array.from({ length: 500 }, (): JsonValue => ({}));
  make(a, put("parent", { title: "above", junk: items }));
  settle(a, server);
  pullAll(store, server);
  for (let n = 0; n < children; n += 1) make(a, put(`child${n}`, { title: `c${n}` }, "parent"));
  settle(a, server);
  forget();
  pullAll(store, server);
  expect(wholeReads()).toBe(children);
  expect(store.reads.list({ limit: 100 })).toHaveLength(children + 1);
});

test("[ST24] what is counted is not read", () => {
  const { server } = disagreeing("theirs", "ours");
  const { store, wholeReads, forget } = watched(server);
  pullAll(store, server);
  forget();
  expect(store.reads.counts(namespace)).toMatchObject({ conflicts: 1, observations: 1 });
  expect(wholeReads()).toBe(0);
  expect(store.reads.conflicts()).toHaveLength(1);
  expect(wholeReads()).toBeGreaterThan(0);
});

test("[OP14] [ST24] what is counted is what is shown: by confirmed records and by what lies over them", () => {
  const { server, a, b } = world();
  const session = (record: string, parent?: string) => ({
    kind: "put" as const,
    id: id(record),
    collection: "session",
    fields: scrubbed({ title: record }),
    ...(parent === undefined ? {} : { parent: id(parent) }),
  });
  make(a, put("top", { title: "top" }), session("one"), session("two", "top"), session("three"));
  settle(a, server);
  pullAll(b, server);
  make(b, session("four"), session("five", "top"));
  const shown = (): number => b.reads.records("session", [namespace]).length;
  const counted = (): number => b.reads.counts(namespace).sessions;
  expect([counted(), shown()]).toEqual([5, 5]);
  make(b, { kind: "forget", id: id("three") });
  expect([counted(), shown()]).toEqual([4, 4]);
  make(b, { kind: "forget", id: id("top") });
  expect([counted(), shown()]).toEqual([2, 2]);
  settle(b, server);
  pullAll(b, server);
  expect([counted(), shown()]).toEqual([2, 2]);
  make(b, session("six"), { kind: "forget", id: id("six") });
  expect([counted(), shown()]).toEqual([2, 2]);
});
