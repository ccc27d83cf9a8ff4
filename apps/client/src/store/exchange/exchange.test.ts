import { chainNext, isTombstone, limits, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { askPage, heal, pullAll, pullOnce, pushOnce, settle } from "../testing/exchange.ts";
import { testSha256 } from "../testing/test-store.ts";
import {
  at,
  forgottenUnseen,
  id,
  make,
  namespace,
  put,
  replica,
  set,
  title,
  world,
} from "../testing/world.ts";

test("[OP19] an op leaves the outbox when a verified pull shows it, not when the push is answered", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  expect(replica(a)).toMatchObject({ unsent: 1, unverified: 0, confirmed: { count: 0 } });
  pushOnce(a, server);
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 1, confirmed: { count: 0 } });
  pullAll(a, server);
  expect(replica(a)).toMatchObject({ unverified: 0, verified: true, confirmed: { count: 1 } });
  expect(title(a)).toBe("one");
  expect(a.reads.get(namespace, id("record1"))?.seq).toBe(1);
});

test("[PL20] pages of any size end in the same records, and the cursor moves with each page", () => {
  const { server, a, b } = world();
  for (let n = 0; n < 7; n += 1) make(a, put(`record${n}`, { title: `t${n}` }));
  settle(a, server);
  expect(pullOnce(b, server, 3)).toEqual({ kind: "taken" });
  expect(replica(b)).toMatchObject({ cursor: "3 7 mark-0-7", verified: false, head: 7 });
  pullAll(b, server, 2);
  expect(replica(b).confirmed).toEqual(replica(a).confirmed);
  expect(b.upkeep.check()).toEqual([]);
});

test("[PL22] the answer to a request from before the cursor moved is ignored", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const plan = b.replicas.planPull(namespace);
  if (plan === undefined) throw new Error("no plan");
  const page = server.pull(plan.after, plan.writer);
  pullAll(b, server);
  make(a, set("record1", { title: "two" }));
  settle(a, server);
  pullAll(b, server);
  if ("kind" in page) throw new Error(page.kind);
  expect(b.replicas.takePage(namespace, plan, page)).toEqual({ kind: "taken" });
  expect(title(b)).toBe("two");
});

test("[OP20] C1: a rejected value stays here alone, in no digest and no heal, until it is retried", () => {
  const { server, a } = world();
  make(a, put("record0", { title: "zero" }));
  server.refusals.set("record1", "quota");
  make(a, put("record1", { title: "one" }));
  pushOnce(a, server);
  expect(pullAll(a, server)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ rejected: 1, unsent: 0, unverified: 0, verified: true });
  expect(title(a)).toBe("one");
  expect(a.reads.get(namespace, id("record1"))?.state).toBe("rejected");
  heal(a, server);
  expect(server.state("record1")).toBeUndefined();
  const [rejected, ...others] = a.reads.rejected(namespace);
  expect(others).toEqual([]);
  expect(rejected).toMatchObject({ record: "record1", n: 2, op: "put", code: "quota" });
  server.refusals.clear();
  if (rejected === undefined) throw new Error("nothing rejected");
  expect(a.changes.retryRejected(rejected, at)).toMatchObject({ ok: true });
  settle(a, server);
  expect(replica(a).rejected).toBe(0);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "one" } } });
});

test("[OP21] a rejected value vanishes when it is dropped, and only then", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  server.refusals.set("record1", "forbidden");
  make(a, set("record1", { title: "two" }));
  pushOnce(a, server);
  pullAll(a, server);
  expect(title(a)).toBe("two");
  const [rejected] = a.reads.rejected(namespace);
  if (rejected === undefined) throw new Error("nothing rejected");
  expect(a.changes.dropRejected(rejected)).toBe(1);
  expect(a.changes.dropRejected(rejected)).toBe(0);
  expect(title(a)).toBe("one");
  expect(a.reads.search("two", {})).toEqual([]);
  expect(a.reads.search("one", {}).length).toBe(1);
});

test("[OP22] C3: ops that depend on a rejected put end as `depends`, and are dropped or sent with it", () => {
  const { server, a } = world();
  server.refusals.set("record1", "quota");
  make(a, put("record1", { title: "one" }));
  pushOnce(a, server);
  server.refusals.clear();
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { kind: "note" }));
  expect(settle(a, server)).toBe(0);
  expect(a.reads.rejected(namespace).map(({ code }) => code)).toEqual([
    "quota",
    "depends",
    "depends",
  ]);
  const [first] = a.reads.rejected(namespace);
  if (first === undefined) throw new Error("nothing rejected");
  a.changes.retryRejected(first, at);
  settle(a, server);
  expect(a.reads.rejected(namespace)).toEqual([]);
  expect(server.state("record1")).toMatchObject({
    registers: { title: { value: "two" }, kind: { value: "note" } },
  });
});

test("[OP23] C3: an op that is unknown again after a heal is rejected, so there is no endless loop", () => {
  const { server, a } = world();
  const empty = server.backup();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "two" }));
  const plan = a.replicas.planPush(namespace, { ops: 1, bytes: 1000 });
  if (plan === undefined) throw new Error("no plan");
  const n = plan.ackedAtRequest + 1;
  const unknown = [{ n, result: "unknown-record" as const }];
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error(answer.kind);
  server.restore(empty);
  a.replicas.takePushAnswer(namespace, plan, { ...answer, results: unknown });
  expect(replica(a)).toMatchObject({ needsHeal: true, healWhy: "unknown-record", unsent: 1 });
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 9999 })).toBeUndefined();
  a.replicas.finishHeal(namespace, server.digests());
  const again = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  const [before, after] = [plan.lines[0] ?? "", again?.lines[0] ?? ""].map(
    (line) => JSON.parse(line) as { n: number; lamport: number; base: unknown },
  );
  expect(after).toEqual({ ...before, n: n + 1 });
  if (again === undefined) throw new Error("not issued again");
  a.replicas.takePushAnswer(namespace, again, {
    ...answer,
    position: { ...answer.position, acked: n + 1, chain: chainAfter(a), since: n },
    results: [{ n: n + 1, result: "unknown-record" }],
  });
  expect(a.reads.rejected(namespace)).toMatchObject([{ code: "unknown-record", n: n + 1 }]);
  expect(replica(a).needsHeal).toBe(false);
});

test("[PS7] C4: an op that is issued again keeps its lamport and does not beat what came after it", () => {
  const { server, a, b } = world();
  const empty = server.backup();
  make(b, put("record1", { title: "one" }));
  settle(b, server);
  settle(a, server);
  // The record is not of this writer, so losing it takes nothing back that the writer had pushed.
  server.restore(empty);
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { title: "three" }));
  expect(pushOnce(a, server, 1)).toEqual({ kind: "heal-due", why: "unknown-record" });
  heal(a, server);
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 9999 })?.lines.length).toBe(2);
  settle(a, server);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "three" } } });
});

test("[OP19] C11: a pull of a restored and regrown server does not take an op for seen", () => {
  const { server, a, b } = world();
  const empty = server.backup();
  make(a, put("record1", { title: "one" }));
  const plan = a.replicas.planPull(namespace);
  pushOnce(a, server);
  server.restore(empty);
  make(b, put("record2", { title: "two" }));
  pushOnce(b, server);
  if (plan === undefined) throw new Error("no plan");
  const page = server.pull("", plan.writer);
  if ("kind" in page) throw new Error(page.kind);
  a.replicas.takePage(namespace, plan, page);
  expect(replica(a).unverified).toBe(1);
  settle(a, server);
  expect(server.state("record1")).toBeDefined();
});

test("[PS31] a lost answer is made good by the position in the next one", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  const plan = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  if (plan === undefined) throw new Error("no plan");
  server.push(plan);
  expect(pushOnce(a, server)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 1 });
  make(a, put("record2", { title: "two" }));
  const next = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  if (next === undefined) throw new Error("no plan");
  server.push(next);
  expect(settle(a, server)).toBe(0);
  expect(server.states().length).toBe(2);
});

test("[PS30] a push takes as many ops as fit, one at least, byte for byte as they were stored", () => {
  const { a } = world();
  make(a, put("record1", { title: "x".repeat(500) }), put("record2", { title: "y" }));
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 10 })?.lines.length).toBe(1);
  expect(a.replicas.planPush(namespace, { ops: 1, bytes: 9999 })?.lines.length).toBe(1);
  expect(a.replicas.planPush(namespace, { ops: 9, bytes: 9999 })?.lines.length).toBe(2);
});

test("[PS30] what is planned ahead of an answer is what is sent after it", () => {
  const { server, a } = world();
  const limits = { ops: 1, bytes: 9999 };
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  const plan = a.replicas.planPush(namespace, limits);
  if (plan === undefined) throw new Error("no plan");
  const ahead = a.replicas.planPushAfter(namespace, plan, limits);
  expect([plan.hasMore, ahead?.hasMore]).toEqual([true, false]);
  expect(a.replicas.planPush(namespace, limits, ahead)).toEqual(plan);
  pushOnce(a, server, 1);
  expect(a.replicas.planPush(namespace, limits)).toEqual(ahead);
  expect(a.replicas.planPush(namespace, limits, ahead)).toBe(ahead);
  if (ahead === undefined) throw new Error("nothing planned ahead");
  expect(a.replicas.planPushAfter(namespace, ahead, limits)).toBeUndefined();
});

test("[CH4] what was planned ahead is not sent under the writer that a fork has left", () => {
  const { a } = world();
  const limits = { ops: 1, bytes: 9999 };
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  const plan = a.replicas.planPush(namespace, limits);
  if (plan === undefined) throw new Error("no plan");
  const ahead = a.replicas.planPushAfter(namespace, plan, limits);
  const position = { acked: 9, chain: "elsewhere", since: 9, results: [] };
  expect(a.replicas.takePosition(namespace, 0, position)).toMatchObject({ kind: "fork" });
  const next = a.replicas.planPush(namespace, limits, ahead);
  expect(next?.header.writer).not.toBe(plan.header.writer);
  // The new writer begins where the old one had: what was planned for that place is not its own.
  const fresh = a.replicas.planPush(namespace, limits, plan);
  expect([fresh?.header.after, plan.header.after]).toEqual([0, 0]);
  expect(fresh?.header.writer).not.toBe(plan.header.writer);
  expect(a.replicas.planPushAfter(namespace, plan, limits)).toBeUndefined();
});

test("[OP17] an op that no push can carry is rejected, and those behind it go on", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  const writer = replica(a).writer as WriterId;
  a.replicas.rejectOp(namespace, { writer, n: 1 }, "too-large");
  settle(a, server);
  expect(a.reads.rejected(namespace)).toMatchObject([{ record: "record1", code: "too-large" }]);
  expect(title(a)).toBe("one");
  expect(server.state("record1")).toBeUndefined();
  expect(server.state("record2")).toBeDefined();
});

test("[PS35] an op is refused here only under the writer that sent it: another has that number since", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, put("record2", { title: "two" }), put("record3", { title: "three" }));
  const header = a.replicas.planPush(namespace, { ops: 1, bytes: 9999 })?.header;
  if (header === undefined) throw new Error("nothing to push");
  a.replicas.renewWriters();
  const sent = { writer: header.writer, n: header.after + 1 };
  a.replicas.rejectOp(namespace, sent, "too-large");
  expect(a.reads.rejected(namespace)).toEqual([]);
  settle(a, server);
  expect(server.state("record3")).toBeDefined();
});

test("[OP18] an edit made unaware of a forget goes with the record", () => {
  const { server, a } = forgottenUnseen();
  make(a, set("record1", { title: "two" }));
  pushOnce(a, server);
  expect([title(a), replica(a).unverified]).toEqual(["two", 1]);
  settle(a, server);
  expect(title(a)).toBeUndefined();
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 0, rejected: 0 });
  expect(a.reads.count({})).toBe(0);
});

test("[TB5] a tombstone erases fields, past and rejected ops of its record from the database", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "secretword first" }));
  settle(a, server);
  settle(b, server);
  make(a, set("record1", { title: "secretword second" }));
  settle(a, server);
  server.refusals.set("record1", "quota");
  make(a, set("record1", { title: "secretword third" }));
  pushOnce(a, server);
  server.refusals.clear();
  make(b, { kind: "forget", id: id("record1") });
  settle(b, server);
  settle(a, server);
  expect(a.reads.rejected(namespace)).toEqual([]);
  expect([...a.reads.exportLines(namespace)].join()).not.toContain("secretword");
  expect(a.reads.search("secretword", { includeHidden: true })).toEqual([]);
});

test("[CK5] a pull raises the clock above all the server has seen, also what left no register", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, { kind: "forget", id: id("record1") });
  settle(a, server);
  pullAll(b, server);
  expect(replica(b).lamport).toBe(2);
});

test("[CK4] repair of a damaged clock stamps unsent ops from the highest confirmed lamport on", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  a.replicas.takeHealed(namespace, {
    from: 1,
    records: [],
    tail: { head: 1, mark: "m", lamport: 1_000_000, digest: "", count: 0, refused: [] },
  });
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { title: "three" }));
  expect(unsentLamports(a)).toEqual([1_000_001, 1_000_002]);
  a.replicas.restampLamports(namespace);
  expect(unsentLamports(a)).toEqual([2, 3]);
  expect(replica(a).lamport).toBe(3);
  settle(a, server);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "three" } } });
  expect(a.reads.conflicts()).toEqual([]);
});

test("[CK4] beside a record at the end of all lamports no op gets one beyond it, and none is taken for damaged", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const { plan, page } = askPage(a, server);
  const clock = { lamport: limits.lamportMax, writer: "liar" as WriterId };
  const title = { value: "last", clock, at: 1 };
  const state = { id: id("last"), collection: "observation", registers: { title } };
  const { head, lamport } = { head: page.tail.head + 1, lamport: limits.lamportMax };
  const tail = { ...page.tail, head, lamport };
  a.replicas.takePage(namespace, plan, { records: [{ seq: head, state }], tail });
  make(a, put("record2", { title: "two" }), set("record1", { title: "uno" }));
  a.replicas.restampLamports(namespace);
  expect(Math.max(...unsentLamports(a))).toBe(limits.lamportMax);
  expect(a.upkeep.check()).toEqual([]);
});

test("a tombstone that a page brings takes the children here with it", () => {
  const { server, a, b } = world();
  make(a, put("parent1", { title: "parent" }));
  settle(a, server);
  settle(b, server);
  make(b, put("child1", { title: "child" }, "parent1"));
  make(a, { kind: "forget", id: id("parent1") });
  settle(a, server);
  pullAll(b, server);
  expect(b.reads.count({})).toBe(0);
  settle(b, server);
  expect(
    isTombstone(server.state("child1") ?? { id: id("x"), collection: "", registers: {} }),
  ).toBe(true);
});

function chainAfter(store: Store): string {
  const next = store.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  if (next === undefined) throw new Error("no plan");
  return next.lines.reduce((chain, line) => chainNext(testSha256, chain, line), next.header.chain);
}

function unsentLamports(store: Store): readonly number[] {
  const lines = store.replicas.planPush(namespace, { ops: 99, bytes: 99_999 })?.lines ?? [];
  return lines.map((line) => (JSON.parse(line) as { lamport: number }).lamport);
}

test("[OP16] each op of an answered push has its final result, whatever the one beside it got", () => {
  const { server, a, b } = world();
  make(b, put("record3", { title: "three" }));
  settle(b, server);
  settle(a, server);
  make(b, { kind: "forget", id: id("record3") });
  settle(b, server);
  server.refusals.set("record2", "quota");
  make(a, put("record1", { title: "one" }), put("record2", { title: "two" }));
  make(a, set("record3", { title: "late" }), put("record4", { title: "four" }));
  pushOnce(a, server);
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 3, rejected: 1 });
  expect(settle(a, server)).toBe(0);
  expect(title(a, "record3")).toBeUndefined();
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 0, rejected: 1, verified: true });
});

test("[PL21] digests are compared where a pull reaches the head, whatever the outbox holds", () => {
  const { server, a, b } = world();
  make(b, put("record1", { title: "one" }), put("record2", { title: "two" }));
  settle(b, server);
  pullAll(a, server);
  make(b, put("record3", { title: "three" }), put("record4", { title: "four" }));
  settle(b, server);
  make(a, put("record5", { title: "waits" }));
  server.lose("record1");
  expect(pullOnce(a, server, 1)).toEqual({ kind: "taken" });
  expect(pullOnce(a, server, 1)).toMatchObject({ kind: "heal-due" });
  expect(replica(a)).toMatchObject({ needsHeal: true, verified: false, unsent: 1 });
});
