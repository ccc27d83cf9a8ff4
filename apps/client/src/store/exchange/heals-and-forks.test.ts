import { bucketOf, type RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import {
  askPage,
  heal,
  pairedStore,
  pullAll,
  pullOnce,
  pushOnce,
  settle,
} from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { seededRandom } from "../testing/test-store.ts";
import { cloneOf, id, make, namespace, put, replica, set, title, world } from "../testing/world.ts";

test("[HL24] C2: an answer from before an acknowledged push makes no needless heal", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  const { plan, page: old } = askPage(a, server);
  make(a, put("record2", { title: "two" }));
  pushOnce(a, server);
  expect(a.replicas.takePage(namespace, plan, old)).toEqual({ kind: "overtaken" });
  expect(replica(a)).toMatchObject({ unverified: 1, needsHeal: false });
  expect(settle(a, server)).toBe(0);
});

test("[HL40] the part of a bucket between two ids is read with its end and without its beginning", () => {
  const { server, a } = world();
  const ids = Array.from({ length: 2_000 }, (_, index) => id(`record${String(index)}`));
  const inOne = ids.filter((one) => bucketOf(one) === 7).toSorted();
  make(a, ...[...inOne, ...ids.slice(0, 99)].map((one) => put(one, { title: "x" })));
  settle(a, server);
  const read = (part: { after?: RecordId | undefined; upTo?: RecordId | undefined }) =>
    a.replicas.bucket(namespace, 7, part).map(([one]) => one);
  expect(read({})).toEqual(inOne);
  expect(read({ after: inOne[0], upTo: inOne[2] })).toEqual(inOne.slice(1, 3));
});

test("[HL25] C6: a tombstone that a restored server lost comes back to it", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  const backup = server.backup();
  make(a, { kind: "forget", id: id("record1") });
  settle(a, server);
  server.restore(backup);
  settle(b, server);
  settle(a, server);
  settle(b, server);
  expect(title(b)).toBeUndefined();
  expect(b.reads.find("record1")).toMatchObject({ ok: false, error: { kind: "forgotten" } });
});

test("[HL20] C7, C8: what a regrown server overwrote before any heal ends as value or conflict", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "start" }));
  settle(a, server);
  settle(b, server);
  const backup = server.backup();
  make(a, set("record1", { title: "of a" }));
  settle(a, server);
  server.restore(backup);
  make(b, set("record1", { title: "of b" }), put("record2", { title: "more" }));
  settle(b, server);
  settle(a, server);
  settle(b, server);
  const seen = [title(a), ...a.reads.conflicts().map(({ value }) => value)];
  expect(new Set(seen)).toEqual(new Set(["of a", "of b"]));
  expect(replica(b).confirmed).toEqual(replica(a).confirmed);
  expect(title(b)).toBe(title(a));
});

test("[HL38] what a restored server lost again right after a heal ends as value or conflict", () => {
  const { server, a, b } = world();
  const empty = server.backup();
  make(a, put("record1", { title: "of a" }));
  settle(a, server);
  server.restore(empty);
  expect(pullAll(a, server)).toMatchObject({ kind: "heal-due" });
  heal(a, server);
  server.restore(empty);
  make(b, put("record1", { title: "of b" }), set("record1", { title: "of b again" }));
  settle(b, server);
  expect(settle(a, server)).toBe(1);
  settle(b, server);
  for (const store of [a, b]) {
    expect(title(store)).toBe("of b again");
    expect(store.reads.conflicts().map(({ value }) => value)).toEqual(["of a"]);
  }
});

test("[HL38] a newer value of who had seen what a heal delivered is no conflict", () => {
  const { server, a, b } = world();
  const empty = server.backup();
  make(a, put("record1", { title: "of a" }));
  settle(a, server);
  server.restore(empty);
  pullAll(a, server);
  heal(a, server);
  settle(b, server);
  make(b, set("record1", { title: "of b" }));
  settle(b, server);
  settle(a, server);
  settle(b, server);
  for (const store of [a, b]) {
    expect(title(store)).toBe("of b");
    expect(store.reads.conflicts()).toEqual([]);
  }
});

test.each(["heal", "pull"] as const)(
  "[HL41] what a %s meets of a record that a heal found no room for is a conflict once there is room",
  (before) => {
    const { server, a, b } = world();
    const empty = server.backup();
    make(a, put("record1", { title: "of a" }));
    settle(a, server);
    server.restore(empty);
    server.healRefusals.set(id("record1"), "quota");
    const others = (): void => {
      make(b, put("record1", { title: "of b" }), set("record1", { title: "of b again" }));
      settle(b, server);
    };
    if (before === "heal") others();
    expect(pullAll(a, server)).toMatchObject({ kind: "heal-due" });
    heal(a, server);
    expect(replica(a).notice).toBe(
      "1 record is only on this device: the server does not take them from it",
    );
    if (before === "pull") others();
    expect(pullAll(a, server)).toMatchObject({ kind: "fork", cause: "server-restored" });
    expect(pullAll(a, server)).toMatchObject({ kind: "heal-due" });
    expect(title(a)).toBe("of a");
    server.healRefusals.clear();
    settle(a, server);
    settle(b, server);
    for (const store of [a, b]) {
      expect(title(store)).toBe("of b again");
      expect(store.reads.conflicts().map(({ value }) => value)).toEqual(["of a"]);
    }
  },
);

test("[HL26] a value that its author replaced before any pull showed it is no conflict after a restore", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  make(a, set("record1", { title: "two" }));
  pushOnce(a, server);
  const backup = server.backup();
  make(a, set("record1", { title: "three" }));
  pushOnce(a, server);
  settle(a, server);
  server.restore(backup);
  settle(b, server);
  settle(a, server);
  settle(b, server);
  expect(title(b)).toBe("three");
  expect(b.reads.conflicts()).toEqual([]);
});

test("[HL23] C9: after a heal with a server that is behind, its next changes arrive by pull", () => {
  const { server, a, b } = world();
  const empty = server.backup();
  for (let n = 0; n < 5; n += 1) make(a, put(`record${n}`, { title: "t" }));
  settle(a, server);
  server.restore(empty);
  settle(a, server);
  make(b, put("later", { title: "later" }));
  settle(b, server);
  expect(pullAll(a, server)).toEqual({ kind: "taken" });
  expect(title(a, "later")).toBe("later");
});

test("[CH10] C10: a restored home is found by its first pull, before the page is applied", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  const copy = cloneOf(a);
  make(a, put("record2", { title: "two" }));
  settle(a, server);
  expect(pullOnce(copy, server)).toEqual({ kind: "fork", cause: "home-restored" });
  expect(replica(copy)).toMatchObject({ cursor: "", confirmed: { count: 0 }, unsent: 1 });
  expect(replica(copy).notice).toContain("older copy");
  settle(copy, server);
  expect(replica(copy).confirmed).toEqual(replica(a).confirmed);
  expect(a.reads.conflicts()).toEqual([]);
});

test("[CH12] C12: a copy whose ops the original pushed is a fork when the results are gone", () => {
  const { server, a } = world();
  server.refusals.set("record1", "quota");
  make(a, put("record1", { title: "one" }));
  const copy = cloneOf(a);
  pushOnce(a, server);
  make(copy, put("record2", { title: "two" }));
  const same = new TestServer(namespace);
  same.restore(server.backup());
  expect(pushOnce(copy, same)?.kind).toBe("taken");
  expect(copy.reads.rejected(namespace)).toMatchObject([{ code: "quota" }]);
  const late = cloneOf(a);
  make(a, put("record3", { title: "three" }));
  make(late, put("record3", { title: "three" }));
  pushOnce(a, server);
  make(a, put("record4", { title: "four" }));
  pushOnce(a, server);
  make(late, put("record4", { title: "four" }));
  expect(pullOnce(late, server)).toEqual({ kind: "fork", cause: "home-restored" });
});

test("[CF10, CF12] C13: two devices that capture the same thing differently keep both values", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "of a", kind: "note" }));
  make(b, put("record1", { title: "of b", kind: "note" }));
  settle(a, server);
  settle(b, server);
  settle(a, server);
  const [conflict, ...others] = a.reads.conflicts();
  expect(others).toEqual([]);
  expect(new Set([title(a), conflict?.value])).toEqual(new Set(["of a", "of b"]));
  expect(conflict).toMatchObject({ record: "record1", field: "title", current: title(a) });
  expect(title(b)).toBe(title(a));
  make(a, { kind: "forget", id: conflict?.id ?? id("") });
  settle(a, server);
  settle(b, server);
  expect(b.reads.conflicts()).toEqual([]);
});

test("[CF13] C14: equal clocks with different values both survive a heal", () => {
  const server = new TestServer(namespace);
  const empty = server.backup();
  const a = pairedStore(server, { random: seededRandom("a") });
  make(a, put("record1", { title: "start" }));
  const copy = cloneOf(a);
  const c = pairedStore(server, { random: seededRandom("c") });
  make(a, set("record1", { title: "seven" }));
  settle(a, server);
  settle(c, server);
  server.restore(empty);
  make(copy, set("record1", { title: "eight" }));
  settle(copy, server);
  expect(pullAll(c, server)).toEqual({ kind: "heal-due", why: "history" });
  settle(c, server);
  settle(copy, server);
  expect(title(c)).toBe(title(copy));
  const seen = [title(c), ...c.reads.conflicts().map(({ value }) => value)];
  expect(new Set(seen)).toEqual(new Set(["seven", "eight"]));
});

test("[CH11] C16, C17: a clone stamps its ops again with their lamports, and equal values are no conflict", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "shared" }));
  const copy = cloneOf(a);
  make(a, put("record2", { title: "two" }));
  make(copy, put("record3", { title: "three" }));
  settle(a, server);
  const lamports = unsentLamports(copy);
  expect(pushOnce(copy, server)).toEqual({ kind: "fork", cause: "home-cloned" });
  expect(unsentLamports(copy)).toEqual(lamports);
  expect(replica(copy).writer).not.toBe(replica(a).writer);
  settle(copy, server);
  settle(a, server);
  expect(a.reads.conflicts()).toEqual([]);
  expect(replica(copy).confirmed).toEqual(replica(a).confirmed);
  expect(title(a, "record3")).toBe("three");
});

test("[CH13] rejected ops stay as they are through a fork", () => {
  const { server, a } = world();
  server.refusals.set("record1", "quota");
  make(a, put("record1", { title: "one" }));
  const backup = server.backup();
  pushOnce(a, server);
  const before = a.reads.rejected(namespace);
  make(a, put("record2", { title: "two" }));
  server.restore(backup);
  expect(pushOnce(a, server)).toEqual({ kind: "fork", cause: "server-restored" });
  expect(a.reads.rejected(namespace)).toEqual(before);
  expect(replica(a)).toMatchObject({ unsent: 1, rejected: 1, needsHeal: true });
});

test("[CH14] an answer to the writer of before a fork is ignored", () => {
  const { server, a } = world();
  const backup = server.backup();
  make(a, put("record1", { title: "one" }));
  pushOnce(a, server);
  make(a, put("record2", { title: "two" }));
  const plan = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  if (plan === undefined) throw new Error("no plan");
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error(answer.kind);
  server.restore(backup);
  expect(pullOnce(a, server)).toEqual({ kind: "fork", cause: "server-restored" });
  const writer = replica(a).writer;
  expect(a.replicas.takePushAnswer(namespace, plan, answer)).toEqual({ kind: "taken" });
  expect(a.replicas.takePosition(namespace, 0, answer.position, plan.header.writer)).toEqual({
    kind: "taken",
  });
  expect(replica(a)).toMatchObject({ writer, unsent: 2 });
});

test("[HL27] a heal stays due until one is finished, whatever is pulled in between", () => {
  const { server, a } = world();
  a.replicas.demandHeal(namespace, "history");
  expect(pullAll(a, server)).toEqual({ kind: "heal-due", why: "history" });
  a.replicas.demandHeal(namespace, "digest");
  expect(replica(a)).toMatchObject({ needsHeal: true, healWhy: "history" });
  heal(a, server);
  expect(replica(a).needsHeal).toBe(false);
  expect(pullAll(a, server)).toEqual({ kind: "taken" });
});

test("[HL28] what a reader alone has is told to the person", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  a.replicas.finishHeal(namespace, server.digests(), 2);
  expect(replica(a).notice).toBe(
    "2 records are only on this device: the server does not take them from it",
  );
});

test("[HL28] once the server has all of it again, nobody is told otherwise", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  a.replicas.finishHeal(namespace, server.digests(), 1);
  expect(replica(a).notice).toContain("only on this device");
  settle(a, server);
  pullAll(a, server);
  expect(replica(a)).toMatchObject({ verified: true, notice: undefined });
});

test("[HL28] what the server does not take in a heal is told to the person", () => {
  const { a } = world();
  const refused = [{ id: id("record1"), code: "forbidden" as const }];
  a.replicas.takeHealed(namespace, {
    from: 0,
    records: [],
    tail: { head: 0, mark: "", lamport: 0, digest: "", count: 0, refused },
  });
  expect(replica(a).notice).toContain("1 record is only on this device");
  a.upkeep.clearNotice(namespace);
  expect(replica(a).notice).toBeUndefined();
});

function unsentLamports(store: Store): readonly number[] {
  const lines = store.replicas.planPush(namespace, { ops: 99, bytes: 99_999 })?.lines ?? [];
  return lines.map((line) => (JSON.parse(line) as { lamport: number }).lamport);
}

test("[CH15] the index follows the view where a fork's new writer wins a tie that the old one lost", () => {
  const server = new TestServer(namespace);
  const writers = (...fills: readonly number[]) => {
    const left = [...fills];
    return { bytes: (count: number) => new Uint8Array(count).fill(left.shift() ?? 1) };
  };
  const a = pairedStore(server, { random: writers(0x00, 0xff) });
  const c = pairedStore(server, { random: writers(0x80) });
  make(c, put("record1", { title: "start" }));
  settle(c, server);
  settle(a, server);
  const backup = server.backup();
  make(a, put("record2", { title: "other" }));
  settle(a, server);
  settle(c, server);
  make(a, set("record1", { title: "alpha" }));
  make(c, set("record1", { title: "gamma" }));
  settle(c, server);
  pullAll(a, server);
  expect(title(a)).toBe("gamma");
  server.restore(backup);
  expect(pushOnce(a, server)).toEqual({ kind: "fork", cause: "server-restored" });
  expect(title(a)).toBe("alpha");
  expect(a.reads.search("alpha", {}).length).toBe(1);
  expect(a.reads.search("gamma", {})).toEqual([]);
});

test("[CH17] a device that comes back under another key sends what waits under new writers", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, put("record2", { title: "two" }));
  const before = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  a.replicas.renewWriters();
  const after = a.replicas.planPush(namespace, { ops: 9, bytes: 9999 });
  expect(after?.header.writer).not.toBe(before?.header.writer);
  expect(after?.lines).toHaveLength(1);
  expect(replica(a)).toMatchObject({ verified: false, notice: undefined });
  settle(a, server);
  expect(server.state("record2")).toBeDefined();
  expect(a.reads.conflicts()).toEqual([]);
});

test("[HL21] bucket digests add up to the digest and count of the namespace", () => {
  const { server, a } = world();
  const records = Array.from({ length: 40 }, (_, index) => put(`record${index}`, { title: "x" }));
  make(a, ...records);
  settle(a, server);
  make(a, { kind: "forget", id: id("record7") });
  settle(a, server);
  const buckets = a.replicas.bucketDigests(namespace);
  const sum = buckets.reduce(
    (total, { digest, count }) => ({
      digest: total.digest ^ BigInt(`0x${digest}`),
      count: total.count + count,
    }),
    { digest: 0n, count: 0 },
  );
  const { digest, count } = replica(a).confirmed;
  expect(sum).toEqual({ digest: BigInt(`0x${digest}`), count });
  expect(count).toBe(40);
  expect(buckets.filter((bucket) => bucket.count > 0).length).toBeGreaterThan(20);
});
