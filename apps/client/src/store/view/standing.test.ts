import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTombstone, type JsonValue, type RecordId } from "@tidemark/protocol";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Change } from "../local-store.ts";
import { bareContext } from "../open-database.ts";
import { openDatabase, type Database } from "../sqlite.ts";
import type { Store } from "../store.ts";
import { pairedStore, pullAll, settle } from "../testing/exchange.ts";
import type { TestServer } from "../testing/test-server.ts";
import { scrubbed, seededRandom, testOptions } from "../testing/test-store.ts";
import { at, disagreeing, id, make, namespace, put, world } from "../testing/world.ts";
import { isShownIn, standingOf } from "./standing.ts";
import { ownView } from "./view.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-standing-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

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

interface Step {
  readonly by: "a" | "b";
  readonly kind: "put" | "set" | "forget" | "sync";
  readonly record: "p" | "q";
  readonly collection: "observation" | "session";
  readonly isBelow: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    by: fc.constantFrom("a", "b"),
    kind: fc.constantFrom("put", "put", "set", "forget", "sync"),
    record: fc.constantFrom("p", "q"),
    collection: fc.constantFrom("observation", "session"),
    isBelow: fc.boolean(),
  }),
  { minLength: 2, maxLength: 14 },
);

function changeOf({ kind, record, collection, isBelow }: Step): Change {
  const fields = scrubbed({ title: `${kind} ${collection}` });
  if (kind === "forget") return { kind, id: id(record) };
  if (kind === "set") return { kind, id: id(record), fields };
  const under = isBelow && record === "q" ? { parent: id("p") } : {};
  return { kind: "put", id: id(record), collection, fields, ...under };
}

/** What the two ways to look at a record say of it; the same, where they agree. */
function twice(db: Database, store: Store, record: RecordId) {
  const options = { ...testOptions(), cipher: undefined };
  const context = bareContext(db, options, () => undefined);
  const state = ownView(context, namespace, record)?.state;
  const { isForgotten, parent } = standingOf(context, namespace, record) ?? {};
  const isDead = state === undefined ? undefined : isTombstone(state);
  const above = state === undefined || isTombstone(state) ? undefined : state.parent;
  const isShown = store.reads.get(namespace, record) !== undefined;
  const shownIn = (["observation", "session"] as const).filter((collection) =>
    isShownIn(context, { namespace, collection }, record),
  );
  const collection = store.reads.get(namespace, record)?.collection;
  return [
    { isForgotten, parent, shownIn },
    { isForgotten: isDead, parent: above, shownIn: isShown ? [collection] : [] },
  ] as const;
}

test("[ST24] how a record stands is what its view shows, whatever lies over it", () => {
  let count = 0;
  fc.assert(
    fc.property(steps, (given) => {
      const { server, a } = world();
      const path = join(folder, `${(count += 1)}.db`);
      const b = pairedStore(server, { random: seededRandom("b"), path });
      const stores = { a, b };
      for (const step of given) {
        const store = stores[step.by];
        if (step.kind === "sync") {
          settle(store, server);
          pullAll(store, server);
        } else store.changes.change(namespace, [changeOf(step)], at);
      }
      const db = openDatabase({ path, busyTimeoutMs: 0 });
      for (const record of ["p", "q"]) {
        const [told, seen] = twice(db, b, id(record));
        expect(told).toEqual(seen);
      }
      db.close();
      b.close();
    }),
    { numRuns: 120, seed: 20261127 },
  );
});

test("[EE4] [ST24] what is sealed and does not open stands nowhere", () => {
  const { server, a } = world();
  const path = join(folder, "sealed.db");
  const b = pairedStore(server, { random: seededRandom("b"), path });
  make(a, put("p", { title: "above" }));
  settle(a, server);
  pullAll(b, server);
  b.close();
  const db = openDatabase({ path, busyTimeoutMs: 0 });
  const context = bareContext(db, testOptions(), () => undefined);
  expect(standingOf(context, namespace, "p")).toMatchObject({ isForgotten: false });
  const sealed = "nse_without_a_key";
  db.run("UPDATE records SET namespace = ?", sealed);
  expect(ownView(context, sealed, "p")).toBeUndefined();
  expect(standingOf(context, sealed, "p")).toBeUndefined();
  db.close();
});

test("[OP24] [ST24] what was piled up is looked through for four generations", () => {
  const { server, a, b } = world();
  const pile = ["one", "two", "three", "four", "five", "six"];
  // From its end, where no parent is known yet.
  for (const [at_, record] of [...pile.entries()].toReversed()) {
    make(a, put(record, { title: record }, pile[at_ - 1]));
  }
  settle(a, server);
  pullAll(b, server);
  make(b, { kind: "forget", id: id("one") });
  const shown = pile.filter((record) => b.reads.get(namespace, id(record)) !== undefined);
  expect(shown).toEqual(["six"]);
});
