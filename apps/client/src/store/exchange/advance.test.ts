import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PushAnswer } from "@tidemark/protocol/wire";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PushPlan } from "../replica-store.ts";
import type { Store } from "../store.ts";
import { pairedStore, pullAll, pullOnce, pushOnce, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom } from "../testing/test-store.ts";
import { id, make, namespace, put, replica, set, title, world } from "../testing/world.ts";

function advancing(): ReturnType<typeof world> {
  const made = world();
  made.server.tellsAdvance = true;
  make(made.a, put("record1", { title: "one" }));
  settle(made.a, made.server);
  settle(made.b, made.server);
  return made;
}

/** A push whose answer is changed on the way. */
function pushHearing(
  store: Store,
  server: TestServer,
  hear: (answer: PushAnswer) => PushAnswer,
): string {
  const plan = planOf(store);
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error(answer.kind);
  return store.replicas.takePushAnswer(namespace, plan, hear(answer)).kind;
}

function planOf(store: Store): PushPlan {
  const plan = store.replicas.planPush(namespace, { ops: 500, bytes: 1_000_000 });
  if (plan === undefined) throw new Error("nothing to push");
  return plan;
}

test("[PS32] a push that nobody else had a part in is confirmed and verified by its answer", () => {
  const { server, a } = advancing();
  const before = replica(a);
  make(a, put("record2", { title: "two" }), set("record1", { title: "changed" }));
  expect(pushOnce(a, server)).toEqual({ kind: "advanced" });
  const { head, verified, unsent, unverified } = replica(a);
  expect({ verified, unsent, unverified }).toEqual({ verified: true, unsent: 0, unverified: 0 });
  expect(head).toBe(before.head + 2);
  expect(title(a)).toBe("changed");
  expect(a.reads.get(namespace, id("record2"))).toMatchObject({ seq: head - 1 });
  const plan = a.replicas.planPull(namespace);
  const page = server.pull(plan?.after ?? "", plan?.writer);
  expect(page).toMatchObject({ records: [], tail: { head } });
  expect(pullOnce(a, server)).toEqual({ kind: "taken" });
});

test("[PS32] what another device pushed in between is pulled, and the own op with it", () => {
  const { server, a, b } = advancing();
  make(b, put("of-b", { title: "b" }));
  expect(pushOnce(b, server)).toEqual({ kind: "advanced" });
  make(a, put("of-a", { title: "a" }));
  expect(pushOnce(a, server)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ verified: false, unverified: 1 });
  expect(pullAll(a, server)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ verified: true, unverified: 0 });
  expect([title(a, "of-a"), title(a, "of-b")]).toEqual(["a", "b"]);
});

test("[OP19] what was acknowledged is told as such, wherever it is asked, until it is verified", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  const states = (): readonly string[] => a.reads.waiting().map(({ state }) => state);
  const told = (): readonly unknown[] => [
    a.reads.get(namespace, id("record1"))?.state,
    ...a.reads.history(namespace, id("record1")).map(({ state }) => state),
    ...a.replicas.waiting(),
  ];
  expect([states(), told()]).toEqual([["unsent"], ["unsent", "unsent", namespace]]);
  expect(pushOnce(a, server)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 1 });
  expect([states(), told()]).toEqual([["unverified"], ["confirmed", "current"]]);
  make(a, set("record1", { title: "two" }));
  expect([states(), replica(a).unsent]).toEqual([["unverified", "unsent"], 1]);
  settle(a, server);
  expect([states(), replica(a).unverified]).toEqual([[], 0]);
});

test("[OP19] ops that an earlier version marked as acknowledged leave like any other", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-marked-"));
  const path = join(folder, "marked.db");
  const server = new TestServer(namespace);
  const a = pairedStore(server, { path });
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  pushOnce(a, server);
  const db = new Sqlite(path);
  expect(db.prepare("UPDATE outbox SET state = 'acked'").run().changes).toBe(2);
  db.close();
  make(a, put("record3", { title: "three" }));
  expect(replica(a)).toMatchObject({ unsent: 1, unverified: 2 });
  expect(settle(a, server)).toBe(0);
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 0, verified: true });
  expect(a.upkeep.check()).toEqual([]);
  a.close();
  rmSync(folder, { recursive: true, force: true });
});

const lies: readonly (readonly [string, (answer: PushAnswer) => PushAnswer])[] = [
  ["another digest", (answer) => changed(answer, { digest: "0123456789abcdef" })],
  ["another count", (answer) => changed(answer, { count: 7 })],
  ["another head before", (answer) => changed(answer, { from: 0 })],
  ["a head too many", (answer) => ({ ...answer, head: answer.head + 1 })],
  ["nothing of it", ({ advance: _advance, ...answer }) => answer],
  [
    "an op that was not plain",
    (answer) => ({ ...answer, results: [{ n: 2, result: "conflict" }] }),
  ],
];

function changed(answer: PushAnswer, told: Partial<PushAnswer["advance"]>): PushAnswer {
  const { advance } = answer;
  if (advance === undefined) throw new Error("the server tells of no advance");
  return { ...answer, advance: { ...advance, ...told } };
}

test.each(lies)("[PS32] an answer that tells %s confirms nothing; a pull does", (_what, lie) => {
  const { server, a } = advancing();
  const { confirmed, cursor } = replica(a);
  make(a, set("record1", { title: "changed" }));
  expect(pushHearing(a, server, lie)).toBe("taken");
  expect(replica(a)).toMatchObject({ confirmed, cursor, unverified: 1 });
  expect(title(a)).toBe("changed");
  settle(a, server);
  expect(replica(a)).toMatchObject({ verified: true, unverified: 0 });
});

test("[PS32] a replica that had not reached the head is not moved over what it lacks", () => {
  const { server, a, b } = advancing();
  make(b, put("of-b", { title: "b" }), put("of-b-2", { title: "b" }));
  settle(b, server);
  pullOnce(a, server, 1);
  expect(replica(a).verified).toBe(false);
  make(a, put("of-a", { title: "a" }));
  expect(pushOnce(a, server)?.kind).toBe("taken");
  settle(a, server);
  expect(title(a, "of-b-2")).toBe("b");
});

test("[PS32] a forget waits for its echo: what goes with it is the server's to say", () => {
  const { server, a } = advancing();
  make(a, { kind: "forget", id: id("record1") });
  expect(pushOnce(a, server)).toEqual({ kind: "taken" });
  settle(a, server);
  expect(title(a)).toBeUndefined();
});

test("[PS32] what was changed while the push was under way goes on lying over it", () => {
  const { server, a } = advancing();
  make(a, set("record1", { title: "sent" }));
  const plan = planOf(a);
  const answer = server.push(plan);
  make(a, set("record1", { title: "later" }));
  if ("kind" in answer) throw new Error(answer.kind);
  expect(a.replicas.takePushAnswer(namespace, plan, answer)).toEqual({ kind: "advancing" });
  expect(replica(a)).toMatchObject({ unsent: 1, unverified: 1, verified: false });
  expect(a.replicas.advance(namespace, plan, answer)).toBe(true);
  expect(title(a)).toBe("later");
  expect(replica(a)).toMatchObject({ unsent: 1, unverified: 0, verified: true });
  expect(pushOnce(a, server)).toEqual({ kind: "advanced" });
  expect(title(a)).toBe("later");
});

test("[CL20] a push that is confirmed after the next was answered does not verify that one's head", () => {
  const { server, a, b } = advancing();
  make(a, put("first", { title: "1" }), put("second", { title: "2" }));
  const plan = a.replicas.planPush(namespace, { ops: 1, bytes: 1_000_000 });
  if (plan === undefined) throw new Error("nothing to push");
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error(answer.kind);
  expect(a.replicas.takePushAnswer(namespace, plan, answer)).toEqual({ kind: "advancing" });
  make(b, put("of-b", { title: "b" }));
  pushOnce(b, server);
  const info = { id: namespace, name: "x", kind: "personal", role: "owner" } as const;
  a.replicas.takeNamespaces("server-1", [{ ...info, head: answer.head + 1 }]);
  expect(a.replicas.advance(namespace, plan, answer)).toBe(true);
  expect(replica(a)).toMatchObject({ head: answer.head + 1, verified: false, unverified: 0 });
  settle(a, server);
  expect(title(a, "of-b")).toBe("b");
});

test("[ST5] what goes on lying over a record that an advance made is found by search", () => {
  const { server, a } = advancing();
  make(a, put("record2", { title: "alpha" }));
  make(a, set("record2", { narrative: "gamma" }));
  server.refusals.set("record2", "forbidden");
  settle(a, server);
  server.refusals.clear();
  const refused = a.reads.rejected(namespace).find(({ op }) => op === "put");
  if (refused === undefined) throw new Error("the put was not refused");
  expect(a.changes.retryRejected(refused, 5).ok).toBe(true);
  expect(pushOnce(a, server)).toEqual({ kind: "advanced" });
  expect(a.reads.get(namespace, id("record2"))?.fields).toMatchObject({ narrative: "gamma" });
  expect(a.reads.search("gamma", {})).toHaveLength(1);
});

test("[CL20] a page that an advance has overtaken is not taken, but for the head that it tells", () => {
  const { server, a, b } = advancing();
  const plan = a.replicas.planPull(namespace);
  if (plan === undefined) throw new Error("a paired store can pull");
  make(a, put("of-a", { title: "a" }));
  const sent = planOf(a);
  const answer = server.push(sent);
  make(b, put("of-b", { title: "b" }));
  pushOnce(b, server);
  const page = server.pull(plan.after, plan.writer);
  if ("kind" in answer || "kind" in page) throw new Error("refused");
  expect(a.replicas.takePushAnswer(namespace, sent, answer)).toEqual({ kind: "advanced" });
  const { cursor } = replica(a);
  expect(a.replicas.takePage(namespace, plan, page)).toEqual({ kind: "overtaken" });
  expect(replica(a)).toMatchObject({ cursor, head: page.tail.head, verified: false });
  expect(a.replicas.takePage(namespace, plan, page)).toEqual({ kind: "taken" });
  settle(a, server);
  expect(title(a, "of-b")).toBe("b");
});

const records = ["record1", "record2", "record3"] as const;
const step = fc.record({
  record: fc.constantFrom(...records),
  field: fc.constantFrom("title", "narrative"),
  value: fc.constantFrom("x", "y", "z"),
});

test("[PS32] an advance leaves the store as an echo leaves it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
      (all) => {
        const [told, untold] = [run(all, true), run(all, false)];
        expect(told.standing).toEqual(untold.standing);
        expect(told.shown).toEqual(untold.shown);
        // An echo tells the last value alone, an advance also what stood between.
        expect(told.history).toEqual(expect.arrayContaining([...untold.history]));
      },
    ),
    { numRuns: 60 },
  );
});

interface Left {
  readonly standing: object;
  readonly shown: readonly unknown[];
  readonly history: readonly unknown[];
}

function run(
  pushes: readonly (readonly { record: string; field: string; value: string }[])[],
  tellsAdvance: boolean,
): Left {
  const server = new TestServer(namespace);
  server.tellsAdvance = tellsAdvance;
  const store = pairedStore(server, { random: seededRandom("one") });
  settle(store, server);
  for (const steps of pushes) {
    for (const { record, field, value } of steps) {
      const isNew = store.reads.get(namespace, id(record)) === undefined;
      const change = isNew ? put : set;
      make(store, change(record, { [field]: value }));
    }
    const taken = pushOnce(store, server);
    if (taken !== undefined) expect(taken.kind).toBe(tellsAdvance ? "advanced" : "taken");
    if (!tellsAdvance) settle(store, server);
  }
  const { syncedAtMs: _syncedAt, ...standing } = replica(store);
  const ids = records.map(id);
  return {
    standing: { ...standing, unsent: standing.unsent, unverified: standing.unverified },
    shown: ids.map((record) => store.reads.get(namespace, record)),
    history: ids.flatMap((record) => store.reads.history(namespace, record)),
  };
}
