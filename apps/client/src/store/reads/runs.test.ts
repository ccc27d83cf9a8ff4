import {
  localNamespace,
  unpairedNamespace,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoreContext } from "../context.ts";
import type { ObservationFilter } from "../local-store.ts";
import { migrate } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import type { Observation } from "../observation.ts";
import { openDatabase, type Bound, type Database } from "../sqlite.ts";
import type { Store } from "../store.ts";
import { put } from "../testing/world.ts";
import { seededRandom, testSha256, testStore } from "../testing/test-store.ts";
import { countObservations, listObservations } from "./observations.ts";
import { kindsMax } from "./runs.ts";

const namespaces: readonly NamespaceId[] = [unpairedNamespace, localNamespace];
const kinds = ["", "decision", "fix", "note"] as const;
const projects = ["git:one", "git:two"] as const;
const times = [100, 200, 300, 400];

/** A store with observations that differ in all that a list asks for, many of one moment. */
function filledStore(count: number): Store {
  const store = testStore();
  for (let n = 0; n < count; n += 1) {
    const place = namespaces[n % 2] ?? unpairedNamespace;
    const project = projects[n % 3];
    const fields = {
      title: `number ${n}`,
      kind: kinds[Math.floor(n / 2) % kinds.length] ?? "note",
      createdAt: times[Math.floor(n / 5) % times.length] ?? 0,
      pinned: n % 7 > 2,
      archived: n % 5 === 0,
      ...(n % 11 === 0 ? { supersededBy: "record-other" } : {}),
      ...(project === undefined ? {} : { project }),
      ...(n % 2 === 0 ? {} : { session: `session-${n % 3}` }),
    };
    const made = store.changes.change(place, [put(`record-${n}`, fields)], 1);
    if (!made.ok) throw new Error(made.error.kind);
  }
  return store;
}

/** The slow way: looks at each, sorts all. `all` stands in the order in which they were made. */
function expected(all: readonly Observation[], filter: ObservationFilter): readonly RecordId[] {
  const isWanted = (one: Observation): boolean =>
    (filter.namespaces?.includes(one.namespace) ?? true) &&
    (filter.kinds?.includes(one.kind) ?? true) &&
    (filter.project === undefined || filter.project === one.project) &&
    (filter.session === undefined || filter.session === one.session) &&
    (filter.ids?.includes(one.id) ?? true) &&
    (filter.pinned === undefined || filter.pinned === one.pinned) &&
    one.createdAt >= (filter.sinceMs ?? 0) &&
    one.createdAt < (filter.beforeMs ?? Infinity) &&
    (filter.includeHidden === true || (!one.archived && one.supersededBy === null));
  const oldest = all.filter(isWanted).toSorted((left, right) => left.createdAt - right.createdAt);
  const { order, offset = 0, limit = all.length } = filter;
  const sorted = order === "oldest" ? oldest : oldest.toReversed();
  return sorted.slice(offset, offset + limit).map(({ id }) => id);
}

const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 2 });
const some = <T>(...values: readonly T[]): fc.Arbitrary<readonly T[] | undefined> =>
  maybe(fc.array(fc.constantFrom(...values), { maxLength: 3 }));

const seldom = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, values);

const filters: fc.Arbitrary<ObservationFilter> = fc.record({
  namespaces: some(...namespaces, "nsnowhere" as NamespaceId),
  kinds: some(...kinds, "none"),
  project: maybe(fc.constantFrom(...projects)),
  session: seldom(fc.constant("session-1")),
  ids: seldom(fc.constant(["record-1" as RecordId, "record-2" as RecordId])),
  pinned: maybe(fc.boolean()),
  sinceMs: maybe(fc.constantFrom(...times)),
  beforeMs: maybe(fc.constantFrom(...times)),
  includeHidden: maybe(fc.boolean()),
  order: maybe(fc.constantFrom("newest", "oldest")),
  limit: maybe(fc.nat(12)),
  offset: maybe(fc.nat(6)),
});

/** Lists and counts in every way that the filters give, beside the slow way. */
function expectSame(store: Store, all: readonly Observation[], numRuns: number): void {
  fc.assert(
    fc.property(filters, (filter) => {
      expect(store.reads.list(filter).map(({ id }) => id)).toEqual(expected(all, filter));
      const whole = expected(all, { ...filter, limit: undefined, offset: undefined }).length;
      expect(store.reads.count(filter)).toBe(whole);
      expect(store.reads.count(filter, 4)).toBe(Math.min(4, whole));
    }),
    { seed: 20_261_122, numRuns },
  );
}

function allOf(store: Store, count: number): readonly Observation[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `record-${n}` as RecordId;
    const found = namespaces.map((place) => store.reads.observation(place, id));
    const one = found.find((each) => each !== undefined);
    if (one === undefined) throw new Error(`there is no ${id}`);
    return one;
  });
}

test("[ST20] a list gives, in its order, what a look at every observation gives", () => {
  const store = filledStore(120);
  expectSame(store, allOf(store, 120), 200);
});

test("[ST20] so it does where people made up more kinds than are asked for one by one", () => {
  const store = filledStore(120);
  for (let n = 0; n <= kindsMax; n += 1) {
    const fields = { title: "t", kind: `kind-${n}`, createdAt: times[n % 4] ?? 0 };
    store.changes.change(unpairedNamespace, [put(`record-${120 + n}`, fields)], 1);
  }
  expectSame(store, allOf(store, 121 + kindsMax), 50);
});

/** What SQLite means to do for each statement over the observations, while `work` runs. */
function plansOf(work: (context: StoreContext) => void): readonly string[] {
  const db = openDatabase({ path: ":memory:", busyTimeoutMs: 0 });
  migrate(db, migrations);
  for (let n = 1; n <= 20; n += 1) {
    db.run(
      `INSERT INTO observations (namespace, record, kind, project, session, origin, pinned,
         archived, text_hash, created_at) VALUES (?, ?, ?, 'git:one', 'one', 'user', 0, ?, '', 1)`,
      `ns_${n % 2}`,
      `record-${n}`,
      `kind-${n % 3}`,
      n % 5 === 0 ? 1 : 0,
    );
  }
  const plans: string[] = [];
  const planned = (sql: string, values: readonly Bound[]): void => {
    if (!sql.includes("observations AS o")) return;
    const steps = db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    plans.push(steps.map(({ detail }) => detail).join("\n"));
  };
  const watched: Database = {
    ...db,
    get: (sql, ...values) => {
      planned(sql, values);
      return db.get(sql, ...values);
    },
    all: (sql, ...values) => {
      planned(sql, values);
      return db.all(sql, ...values);
    },
  };
  work({
    db: watched,
    sha256: testSha256,
    random: seededRandom("seed"),
    clock: { nowMs: () => 0 },
    cipher: undefined,
    rings: new Map(),
    identity: () => undefined,
  });
  db.close();
  return plans;
}

const two = ["ns_0" as NamespaceId, "ns_1" as NamespaceId];
const one = two.slice(0, 1);
const within = { sinceMs: 1, beforeMs: 9 };

test.each<[asked: string, filter: ObservationFilter, index: string]>([
  ["everything", {}, "created"],
  ["several namespaces", { namespaces: two }, "created"],
  ["hidden ones too", { namespaces: two, includeHidden: true }, "created"],
  ["kinds", { namespaces: two, kinds: ["kind-0", "kind-1"] }, "created"],
  ["a time, oldest first", { namespaces: one, ...within, order: "oldest" }, "created"],
  ["a project", { namespaces: two, project: "git:one" }, "project"],
  ["kinds of a project", { project: "git:one", kinds: ["kind-0"] }, "project"],
  ["a time of a project", { namespaces: one, project: "git:one", ...within }, "project"],
  ["pinned ones", { namespaces: two, pinned: true }, "pinned"],
  [
    "pinned ones of a project",
    { namespaces: one, project: "git:one", pinned: true, ...within },
    "pinned",
  ],
  ["pinned ones of a kind", { kinds: ["kind-0", "kind-1"], pinned: true }, "pinned"],
  ["a session", { namespaces: one, session: "one", ...within, includeHidden: true }, "session"],
])("[ST20] %s: nothing is scanned or sorted", (_, filter, index) => {
  const lists = plansOf((context) => listObservations(context, { ...filter, limit: 3 }));
  const counts = plansOf((context) => countObservations(context, filter, 3));
  for (const plan of [...lists, ...counts]) expect(plan).not.toMatch(/TEMP B-TREE|SCAN o\b/);
  for (const plan of [lists.at(-1), counts.at(-1)]) {
    expect(plan).toMatch(
      new RegExp(String.raw`SEARCH o USING (?:COVERING )?INDEX observations_${index} \(`),
    );
  }
});

test("[ST20] a count reads the index alone", () => {
  const plans = plansOf((context) => countObservations(context, { project: "git:one" }));
  expect(plans.at(-1)).toContain("USING COVERING INDEX observations_project");
});
