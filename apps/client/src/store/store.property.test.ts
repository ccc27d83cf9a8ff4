import fc from "fast-check";
import type { JsonObject, NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Change } from "./local-store.ts";
import type { Store } from "./store.ts";
import { heal, pairedStore, pullOnce, pushOnce, settle } from "./testing/exchange.ts";
import { TestServer } from "./testing/test-server.ts";
import { scrubbed, seededRandom } from "./testing/test-store.ts";

const namespace = "ns_1" as NamespaceId;
const records = ["r1", "r2", "r3"] as const;
const words = ["alpha", "beta", "gamma"] as const;

type Step =
  | { readonly kind: "change"; readonly store: 0 | 1; readonly change: Change }
  | { readonly kind: "pull" | "push" | "heal" | "retry" | "drop"; readonly store: 0 | 1 }
  | { readonly kind: "refuse" | "accept"; readonly record: string }
  | { readonly kind: "backup" | "restore" };

const anyId = fc.constantFrom(...records).map((text) => text as RecordId);
const anyFields = fc
  .dictionary(fc.constantFrom("title", "narrative", "archived"), fc.constantFrom(...words), {
    minKeys: 1,
  })
  .map((fields) => scrubbed({ ...fields } satisfies JsonObject));

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ id: anyId, fields: anyFields, hasParent: fc.boolean() })
      .map(({ id, fields, hasParent }): Change => {
        const under = hasParent && id !== "r1" ? { parent: "r1" as RecordId } : {};
        return { kind: "put", id, collection: "observation", fields, ...under };
      }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ id: anyId, fields: anyFields })
      .map(({ id, fields }): Change => ({ kind: "set", id, fields })),
  },
  { weight: 1, arbitrary: anyId.map((id): Change => ({ kind: "forget", id })) },
);

const anyStore = fc.constantFrom<0 | 1>(0, 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      store: anyStore,
      change: anyChange,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("pull", "pull", "push", "push", "heal", "retry", "drop"),
      store: anyStore,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("refuse" as const, "accept" as const),
      record: fc.constantFrom(...records),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("backup" as const, "restore" as const) }),
  },
);

function runStep(
  server: TestServer,
  stores: readonly [Store, Store],
  held: { backup: object },
  step: Step,
): void {
  switch (step.kind) {
    case "refuse":
      server.refusals.set(step.record, "quota");
      return;
    case "accept":
      server.refusals.delete(step.record);
      return;
    case "backup":
      held.backup = server.backup();
      return;
    case "restore":
      server.restore(held.backup);
      return;
    case "change":
      stores[step.store].changes.change(namespace, [step.change], 1);
      return;
    default:
      runStoreStep(server, stores[step.store], step.kind);
  }
}

function runStoreStep(server: TestServer, store: Store, kind: string): void {
  const [rejected] = store.reads.rejected(namespace);
  if (kind === "pull") pullOnce(store, server, 1);
  if (kind === "push") pushOnce(store, server, 2);
  if (kind === "heal") heal(store, server);
  if (rejected === undefined) return;
  if (kind === "retry") store.changes.retryRejected(rejected, 1);
  if (kind === "drop") store.changes.dropRejected(rejected);
}

interface Shown {
  readonly list: readonly unknown[];
  readonly words: readonly unknown[];
}

function shown(store: Store): Shown {
  const all = { includeHidden: true };
  return {
    list: store.reads.list(all).toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    words: words.map((word) =>
      store.reads
        .search(word, all)
        .map(({ observation }) => observation.id)
        .toSorted(),
    ),
  };
}

/** What a reader who knows no projection would list: every live observation of the exported view. */
function viewed(store: Store): readonly unknown[] {
  return [...store.reads.exportLines(namespace)]
    .map((line) => JSON.parse(line) as { id: string; collection: string; forgotten?: boolean })
    .filter(({ collection, forgotten }) => collection === "observation" && forgotten !== true)
    .map(({ id }) => id)
    .toSorted();
}

function checkStore(store: Store): void {
  expect(store.upkeep.check()).toEqual([]);
  const before = shown(store);
  expect(before.list.map((one) => (one as { id: string }).id)).toEqual(viewed(store));
  store.upkeep.rebuildSearch();
  expect(shown(store)).toEqual(before);
}

test("[ST5] after any history the projection equals its rebuild, and the digest its recomputation", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 5, maxLength: 40 }), (steps) => {
      const server = new TestServer(namespace);
      const stores: readonly [Store, Store] = [
        pairedStore(server, { random: seededRandom("a") }),
        pairedStore(server, { random: seededRandom("b") }),
      ];
      const held = { backup: server.backup() };
      for (const step of steps) runStep(server, stores, held, step);
      for (const store of stores) checkStore(store);
      for (const record of records) server.refusals.delete(record);
      // One store's heal may bring what the other has yet to pull, so each settles more than once.
      for (let round = 0; round < 3; round += 1)
        for (const store of stores) settle(store, server, 60);
      const [left, right] = stores.map((store) => store.replicas.replica(namespace)?.confirmed);
      expect(left).toEqual(right);
      for (const store of stores) {
        checkStore(store);
        store.close();
      }
    }),
    { seed: 20_261_121, numRuns: 200 },
  );
});

const embedding = { model: "model", includesEncrypted: false } as const;
/** The same for an embedder that has made nothing yet: all that is in sight is wanted. */
const unused = { ...embedding, model: "unused" } as const;

/** Has all that is wanted embedded, and tells of which texts the vectors are. */
function embedAll(store: Store, made: Map<number, string>): void {
  const wanted = store.vectors.wanted(embedding, 100);
  const vector = Int8Array.of(1, 2);
  store.vectors.keep(
    embedding.model,
    wanted.map((each) => ({ ...each, vector })),
  );
  for (const { id, text } of wanted) made.set(id, text);
}

function checkVectors(store: Store, made: ReadonlyMap<number, string>): void {
  const wanted = new Set(store.vectors.wanted(embedding, 100).map(({ id }) => id));
  const kept = store.vectors.wanted(unused, 100).filter(({ id }) => !wanted.has(id));
  expect(kept.map(({ id }) => made.get(id))).toEqual(kept.map(({ text }) => text));
}

test("[RC31] after any history each vector is of the text that its observation has", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 20, maxLength: 60 }), (steps) => {
      const server = new TestServer(namespace);
      const stores: readonly [Store, Store] = [
        pairedStore(server, { random: seededRandom("a") }),
        pairedStore(server, { random: seededRandom("b") }),
      ];
      const made = [new Map<number, string>(), new Map<number, string>()] as const;
      const held = { backup: server.backup() };
      for (const step of steps) {
        for (const at of [0, 1] as const) embedAll(stores[at], made[at]);
        runStep(server, stores, held, step);
        for (const at of [0, 1] as const) checkVectors(stores[at], made[at]);
      }
      for (const store of stores) store.close();
    }),
    { seed: 20_261_124, numRuns: 500 },
  );
});
