import type { JsonObject, RecordId } from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pairedStore, settle } from "../../store/testing/exchange.ts";
import { TestServer } from "../../store/testing/test-server.ts";
import { seededRandom, testSha256 } from "../../store/testing/test-store.ts";
import { make, namespace, put, world } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import type { MemoryDeps } from "../deps.ts";
import { setFields } from "../edit.ts";
import { testScrub } from "../testing/scrub.ts";
import type { LifecycleRules } from "./plan.ts";
import { dueLifecycle, runLifecycle, throughAll, type LifecycleDone } from "./run.ts";

const dayMs = 86_400_000;
const nowMs = 1_700_000_000_000;
const rules: LifecycleRules = { compactDays: 90, archiveDays: undefined };

function depsOf(store: Store): MemoryDeps {
  return {
    store,
    scrub: testScrub(),
    clock: { nowMs: () => nowMs },
    random: { bytes: (count) => new Uint8Array(count) },
    sha256: testSha256,
  };
}

function age(store: Store, given: LifecycleRules = rules): LifecycleDone {
  const deps = depsOf(store);
  const due = throughAll(dueLifecycle(deps, { namespace, isShared: false, rules: given }));
  return throughAll(runLifecycle(deps, due));
}

interface Old {
  readonly id: string;
  readonly days: number;
  readonly kind?: string;
  readonly session?: string;
  readonly more?: JsonObject;
}

function save(store: Store, { id, days, kind = "change", session = "s1", more = {} }: Old): void {
  const createdAt = nowMs - days * dayMs;
  make(store, put(id, { title: `title ${id}`, kind, session, createdAt, ...more }));
}

const shown = (store: Store): readonly string[] =>
  store.reads.list({ namespaces: [namespace] }).map(({ kind, title }) => `${kind}: ${title}`).toSorted(); // prettier-ignore

test("[LC2] what an old session did becomes one digest, and what it learned stays", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `c${n}`, days: 100 + n });
  save(a, { id: "asked", days: 105, kind: "request" });
  save(a, { id: "why", days: 100, kind: "decision" });
  save(a, { id: "kept", days: 100, more: { pinned: true } });
  expect(age(a)).toEqual({ digests: 1, archived: 4, refused: 0 });
  expect(shown(a)).toEqual(["change: title kept", "decision: title why", "digest: title asked"]);
  const [digest] = a.reads.list({ namespaces: [namespace], kinds: ["digest"] });
  expect(digest?.facts).toEqual(["title c3", "title c2", "title c1"]);
  const { fields } = a.reads.get(namespace, digest?.id ?? ("" as RecordId)) ?? {};
  expect(fields?.["sources"]).toEqual(["asked", "c3", "c2", "c1"]);
  // Nothing is gone: each source is there under its id.
  expect(a.reads.get(namespace, "c1" as RecordId)?.fields["title"]).toBe("title c1");
});

test("[LC2] a session that goes on, a young one and a short one stay as they are", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `goes${n}`, days: 100, session: "goes" });
  save(a, { id: "today", days: 0, session: "goes", kind: "decision" });
  for (const n of [1, 2, 3]) save(a, { id: `young${n}`, days: 30, session: "young" });
  for (const n of [1, 2]) save(a, { id: `short${n}`, days: 100, session: "short" });
  expect(age(a)).toEqual({ digests: 0, archived: 0, refused: 0 });
});

test("[LC2] what was imported or read from a page joins no digest, which would lend it trust", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `c${n}`, days: 100 });
  save(a, { id: "brought", days: 100, more: { origin: "import" } });
  save(a, { id: "page", days: 100, more: { origin: "web" } });
  expect(age(a)).toEqual({ digests: 1, archived: 3, refused: 0 });
  const [digest] = a.reads.list({ namespaces: [namespace], kinds: ["digest"] });
  expect(digest?.trust).toBe(2);
  expect(shown(a)).toEqual(["change: title brought", "change: title page", "digest: title c1"]);
});

test("[LC6] what another person wrote is theirs to age, also one of the same name or not known yet", () => {
  const server = new TestServer(namespace);
  const people = { mine: "usr_1", other: "usr_1", namesake: "usr_2", unknown: "usr_3" };
  const stores = Object.entries(people).map(([device, user]) => {
    const identity = { device: { id: `dev_${device}`, name: device }, user: { id: user, name: "Alex" } }; // prettier-ignore
    const store = pairedStore(server, { random: seededRandom(device), identity });
    for (const n of [1, 2, 3]) save(store, { id: `${device}${n}`, days: 400, session: device });
    return { device, user, store };
  });
  server.writers = stores
    .filter(({ device }) => device !== "unknown")
    .map(({ device, user, store }) => ({
      writer: store.replicas.replica(namespace)?.writer as never,
      device: `dev_${device}` as never,
      deviceName: device,
      user: user as never,
      userName: "Alex",
    }));
  for (const { store } of [...stores, ...stores]) settle(store, server);
  const [mine] = stores;
  if (mine === undefined) throw new Error("there are four");
  const deps = depsOf(mine.store);
  const old = { compactDays: 90, archiveDays: 300 };
  const { digests } = throughAll(dueLifecycle(deps, { namespace, isShared: true, rules: old }));
  expect(new Set(digests.map(({ content }) => content.session))).toEqual(
    new Set(["mine", "other"]),
  );
});

test("[LC3] a second run finds nothing to do; what comes late joins the digest", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `c${n}`, days: 100 });
  expect(age(a).digests).toBe(1);
  expect(age(a)).toEqual({ digests: 0, archived: 0, refused: 0 });
  save(a, { id: "late", days: 95 });
  expect(age(a)).toEqual({ digests: 1, archived: 1, refused: 0 });
  const [digest, second] = a.reads.list({ namespaces: [namespace], kinds: ["digest"] });
  expect(second).toBeUndefined();
  expect(digest?.facts).toContain("title late");
});

test("[LC3] what somebody brought back stays, and a digest that was forgotten is not made again", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `c${n}`, days: 100 });
  age(a);
  setFields(depsOf(a), "c1", { archived: false });
  expect(age(a)).toEqual({ digests: 0, archived: 0, refused: 0 });
  expect(shown(a)).toContain("change: title c1");
  const [digest] = a.reads.list({ namespaces: [namespace], kinds: ["digest"] });
  a.changes.change(namespace, [{ kind: "forget", id: digest?.id ?? ("" as RecordId) }], nowMs);
  save(a, { id: "late", days: 95 });
  expect(age(a)).toEqual({ digests: 0, archived: 0, refused: 1 });
  expect(shown(a)).toEqual(["change: title c1", "change: title late"]);
});

test("[LC5] a namespace's retention archives, and forgets nothing", () => {
  const { a } = world();
  save(a, { id: "old", days: 400, kind: "decision" });
  save(a, { id: "pinned", days: 400, kind: "decision", more: { pinned: true } });
  save(a, { id: "new", days: 300, kind: "decision" });
  expect(age(a, { compactDays: 90, archiveDays: 365 }).archived).toBe(1);
  expect(shown(a)).toEqual(["decision: title new", "decision: title pinned"]);
  expect(a.reads.get(namespace, "old" as RecordId)?.fields["title"]).toBe("title old");
});

test("[LC4] devices that both do it unaware of each other agree, without a conflict", () => {
  const entry = fc.record({
    days: fc.integer({ min: 0, max: 500 }),
    kind: fc.constantFrom("change", "command", "failure", "request", "decision", "fix"),
    session: fc.constantFrom("s1", "s2", "s3"),
    pinned: fc.boolean(),
    origin: fc.constantFrom("agent", "tool", "import", "web"),
  });
  const property = fc.property(
    fc.array(entry, { maxLength: 30 }),
    fc.constantFrom(undefined, 365),
    fc.boolean(),
    (entries, archiveDays, isFirst) => {
      const { server, a, b } = world();
      for (const [n, { pinned, origin, ...old }] of entries.entries()) {
        save(a, { id: `r${n}`, ...old, more: { pinned, origin } });
      }
      settle(a, server);
      settle(b, server);
      const given = { compactDays: 90, archiveDays };
      age(a, given);
      age(b, given);
      for (const store of isFirst ? [a, b, a, b] : [b, a, b, a]) settle(store, server);
      expect(shown(a)).toEqual(shown(b));
      const digests = a.reads.list({ namespaces: [namespace], kinds: ["digest"] });
      expect(new Set(digests.map(({ session }) => session)).size).toBe(digests.length);
      expect(a.reads.counts(namespace).conflicts).toBe(0);
      expect(age(a, given)).toEqual({ digests: 0, archived: 0, refused: 0 });
      a.close();
      b.close();
    },
  );
  fc.assert(property, { numRuns: 60, seed: 20261123 });
});

test("[LC3] what was forgotten after the look for it is told as left, and not as archived", () => {
  const { a } = world();
  save(a, { id: "gone", days: 400, kind: "note" });
  const deps = depsOf(a);
  const old = { compactDays: 90, archiveDays: 300 };
  const due = throughAll(dueLifecycle(deps, { namespace, isShared: false, rules: old }));
  make(a, { kind: "forget", id: "gone" as RecordId });
  expect(throughAll(runLifecycle(deps, due))).toEqual({ digests: 0, archived: 0, refused: 1 });
});

test("[LC2] what was pinned, archived or brought back after the look for it is left alone", () => {
  const { a } = world();
  for (const n of [1, 2, 3]) save(a, { id: `c${n}`, days: 400 });
  for (const n of [1, 2]) save(a, { id: `note${n}`, days: 400, kind: "note" });
  const deps = depsOf(a);
  const old = { compactDays: 90, archiveDays: 300 };
  const due = throughAll(dueLifecycle(deps, { namespace, isShared: false, rules: old }));
  expect([due.digests.length, due.archives.length]).toEqual([1, 2]);
  setFields(deps, "c1", { pinned: true });
  setFields(deps, "note1", { pinned: true });
  expect(throughAll(runLifecycle(deps, due))).toEqual({ digests: 0, archived: 1, refused: 0 });
  expect(shown(a)).toContain("note: title note1");
  expect(shown(a)).toContain("change: title c1");
});

test("[LC5] what age archived and somebody brought back stays", () => {
  const { a } = world();
  save(a, { id: "note1", days: 400, kind: "note" });
  const old = { compactDays: 90, archiveDays: 300 };
  expect(age(a, old).archived).toBe(1);
  setFields(depsOf(a), "note1", { archived: false });
  expect(age(a, old)).toEqual({ digests: 0, archived: 0, refused: 0 });
  expect(shown(a)).toEqual(["note: title note1"]);
});
