import { expect, test } from "vitest";
import type { Rewrite } from "../local-store.ts";
import type { Store } from "../store.ts";
import { pullAll, pushOnce, settle } from "../testing/exchange.ts";
import { scrubbed } from "../testing/test-store.ts";
import type { TestServer } from "../testing/test-server.ts";
import { cloneOf, id, make, namespace, put, set, title, world } from "../testing/world.ts";

const replacing =
  (secret: string, by: string): Rewrite =>
  (fields) =>
    scrubbed(
      Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [
          field,
          typeof value === "string" ? value.replace(secret, by) : value,
        ]),
      ),
    );

const cleaned = replacing("hush ", "");
const knowing = replacing("unknown", "known");

/** Pushes one op, which is refused. */
function refuseOne(store: Store, server: TestServer, record = "record1"): void {
  server.refusals.set(record, "secret-detected");
  pushOnce(store, server, 1);
  server.refusals.clear();
}

function mendAll(store: Store): readonly boolean[] {
  return store.reads.rejected().map((op) => store.changes.mendRejected(op, cleaned).ok);
}

function conflictsOf(store: Store): readonly unknown[] {
  return store.reads.conflicts({ namespaces: [namespace] }).map(({ value }) => value);
}

test("[OP26] what was written over on the device since is not put over it again", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one", narrative: "kept" }));
  settle(a, server);
  make(a, set("record1", { title: "hush two", narrative: "hush more" }));
  make(a, set("record1", { title: "three" }));
  refuseOne(a, server);
  expect(mendAll(a)).toEqual([true]);
  expect(title(a)).toBe("three");
  settle(a, server);
  settle(b, server);
  const fields = { title: "three", narrative: "more" };
  for (const store of [a, b]) {
    expect(store.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
    expect(conflictsOf(store)).not.toContain("two");
  }
  expect(a.reads.rejected()).toEqual([]);
});

test("[OP26] where all of it was written over, nothing is sent again", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "hush two" }));
  refuseOne(a, server);
  make(a, set("record1", { title: "three" }));
  settle(a, server);
  expect(mendAll(a)).toEqual([true]);
  expect([a.reads.rejected(), a.replicas.replica(namespace)?.unsent]).toEqual([[], 0]);
  expect(title(a)).toBe("three");
});

test("[OP26] what another wrote unaware before is kept as a conflict, not taken over", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  make(b, set("record1", { title: "theirs" }));
  settle(b, server);
  make(a, set("record1", { title: "hush between" }));
  make(a, set("record1", { title: "hush mine" }));
  server.refusals.set("record1", "secret-detected");
  pushOnce(a, server);
  server.refusals.clear();
  pullAll(a, server);
  expect(mendAll(a)).toEqual([true, true]);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["mine", "mine"]);
  expect([conflictsOf(a), conflictsOf(b)]).toEqual([["theirs"], ["theirs"]]);
});

test("[OP26] what another wrote unaware later stands, and the mended value is kept as a conflict", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  make(a, set("record1", { title: "hush mine" }));
  refuseOne(a, server);
  for (const text of ["theirs", "theirs again", "theirs at last"]) {
    make(b, set("record1", { title: text }));
  }
  settle(b, server);
  pullAll(a, server);
  expect(mendAll(a)).toEqual([true]);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["theirs at last", "theirs at last"]);
  expect([conflictsOf(a), conflictsOf(b)]).toEqual([["mine"], ["mine"]]);
});

test("[OP26] a put takes what depended on it along, and what is written to it meanwhile", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }, "parent1"));
  make(a, set("record1", { narrative: "more" }));
  refuseOne(a, server);
  expect(mendAll(a)).toEqual([true]);
  expect(a.reads.get(namespace, id("record1"))?.fields).toEqual({
    title: "one",
    narrative: "more",
  });
  settle(a, server);
  settle(b, server);
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual({
    title: "one",
    narrative: "more",
  });
  expect(b.reads.get(namespace, id("record1"))?.parent).toBe("parent1");
  expect([a.reads.rejected(), conflictsOf(b)]).toEqual([[], []]);
});

test("[OP26] a put takes nothing along that a value wrote over which was refused as well", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { narrative: "first" }));
  make(a, set("record1", { narrative: "hush second" }));
  make(a, set("record1", { title: "two" }));
  refuseOne(a, server);
  pushOnce(a, server, 1);
  refuseOne(a, server);
  settle(a, server);
  expect(a.reads.rejected().map(({ code }) => code)).toEqual([
    "secret-detected",
    "depends",
    "secret-detected",
    "depends",
  ]);
  mendAll(a);
  settle(a, server);
  settle(b, server);
  for (const store of [a, b]) {
    const fields = { title: "two", narrative: "second" };
    expect(store.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
    expect(conflictsOf(store)).toEqual([]);
  }
  expect(a.reads.rejected()).toEqual([]);
});

test("[OP26] of a put and of what was written over it, both refused, the newer goes", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "hush two" }));
  server.refusals.set("record1", "secret-detected");
  pushOnce(a, server, 2);
  server.refusals.clear();
  mendAll(a);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["two", "two"]);
  expect([a.reads.rejected(), conflictsOf(a), conflictsOf(b)]).toEqual([[], [], []]);
});

test("[OP26] a refused put waits for what is on its way over all of it", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two" }));
  refuseOne(a, server);
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("one is refused");
  expect(a.changes.mendRejected(op, cleaned)).toMatchObject({ error: { kind: "waits" } });
  settle(a, server);
  expect(mendAll(a)).toContain(true);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["two", "two"]);
  expect([a.reads.rejected(), conflictsOf(a), conflictsOf(b)]).toEqual([[], [], []]);
});

test("[OP26] a put under what was refused over it for a reason of its own begins the record", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two" }));
  refuseOne(a, server);
  server.refusals.set("record1", "invalid");
  pushOnce(a, server, 1);
  server.refusals.clear();
  expect(mendAll(a)).toEqual([true, false]);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["two", "one"]);
  expect(a.reads.rejected()).toMatchObject([{ code: "invalid" }]);
});

test("[OP26] a put whose refused value was written over before anybody had it goes as it is now", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two" }));
  server.refusals.set("record1", "secret-detected");
  pushOnce(a, server, 1);
  server.refusals.clear();
  settle(a, server);
  expect(a.reads.rejected().map(({ code }) => code)).toEqual(["secret-detected", "depends"]);
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("one is refused");
  expect(a.changes.mendRejected(op, () => undefined).ok).toBe(true);
  settle(a, server);
  settle(b, server);
  expect([a.reads.rejected(), title(b)]).toEqual([[], "two"]);
});

test("[OP26] where nothing comes of it, or the record was forgotten, the op stays refused", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  settle(b, server);
  make(a, set("record1", { title: "hush two" }));
  refuseOne(a, server);
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("one is refused");
  expect(a.changes.mendRejected(op, () => undefined).ok).toBe(false);
  expect([a.reads.rejected().length, title(a)]).toEqual([1, "hush two"]);
  make(a, { kind: "forget", id: id("record1") });
  expect(a.changes.mendRejected(op, cleaned)).toMatchObject({ error: { kind: "forgotten" } });
  settle(a, server);
  settle(b, server);
  expect([a.reads.rejected(), b.reads.get(namespace, id("record1"))]).toEqual([[], undefined]);
});

test("[OP26] a put that begins a record beneath refused values is beneath each of them", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { narrative: "more" }));
  make(a, set("record1", { narrative: "most" }));
  for (const code of ["secret-detected", "invalid", undefined, "invalid"] as const) {
    if (code !== undefined) server.refusals.set("record1", code);
    pushOnce(a, server, 1);
    server.refusals.clear();
  }
  mendAll(a);
  const fields = { title: "two", narrative: "most" };
  expect(a.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
});

test("[OP26] of what becomes one op the newest stands, in whatever order it was sent", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two", narrative: "unknown" }));
  make(a, set("record1", { title: "unknown three" }));
  for (const code of ["secret-detected", "secret-detected", undefined] as const) {
    if (code !== undefined) server.refusals.set("record1", code);
    pushOnce(a, server, 1);
    server.refusals.clear();
  }
  mendAll(a);
  refuseOne(a, server);
  const op = a.reads.rejected().find((each) => each.op === "put");
  if (op === undefined) throw new Error("the put is refused again");
  expect(a.changes.mendRejected(op, knowing).ok).toBe(true);
  settle(a, server);
  settle(b, server);
  const fields = { title: "known three", narrative: "known" };
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
});

test("[OP26] what is refused for a secret that nobody knows yet does not hold its put back", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }));
  make(a, set("record1", { title: "two" }));
  make(a, set("record1", { narrative: "unknown" }));
  refuseOne(a, server);
  pushOnce(a, server, 1);
  refuseOne(a, server);
  expect(mendAll(a)).toEqual([true, false, false]);
  settle(a, server);
  settle(b, server);
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual({ title: "two" });
  expect(a.reads.rejected()).toMatchObject([{ code: "secret-detected" }]);
});

test("[OP27] a put that is sent again takes along what was written over all of it, refused or not", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  make(a, set("record1", { title: "two" }));
  server.refusals.set("record1", "invalid");
  pushOnce(a, server, 2);
  server.refusals.clear();
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("two are refused");
  expect(a.changes.retryRejected(op, 1).ok).toBe(true);
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b), a.reads.rejected()]).toEqual(["two", "two", []]);
});

test.each(["taken", "refused again"] as const)(
  "[OP27] a put that is sent again and %s does not stand over what is on its way over all of it",
  (answer) => {
    const { server, a, b } = world();
    make(a, put("record1", { title: "one" }));
    server.refusals.set("record1", "quota");
    pushOnce(a, server);
    make(a, set("record1", { title: "two" }));
    const retry = () => {
      const op = a.reads.rejected().find((each) => each.op === "put");
      if (op === undefined) throw new Error("the put is refused");
      expect(a.changes.retryRejected(op, 1)).toMatchObject({
        ok: true,
        value: [{ changed: true }],
      });
      expect(title(a)).toBe("two");
    };
    retry();
    if (answer === "refused again") {
      pushOnce(a, server);
      retry();
    }
    server.refusals.clear();
    settle(a, server);
    settle(b, server);
    expect(a.reads.rejected()).toEqual([]);
    expect([title(a), title(b), conflictsOf(a), conflictsOf(b)]).toEqual(["two", "two", [], []]);
  },
);

test("[OP27] what this device wrote over it under a writer of between is over it all the same", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  server.refusals.set("record1", "quota");
  make(a, set("record1", { title: "two" }));
  pushOnce(a, server);
  server.refusals.clear();
  const beginWriter = (record: string): void => {
    const backup = server.backup();
    make(a, put(record, { title: "lost" }));
    pushOnce(a, server);
    server.restore(backup);
    settle(a, server);
  };
  beginWriter("record2");
  make(a, set("record1", { title: "three" }));
  settle(a, server);
  beginWriter("record3");
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("one is refused");
  expect(a.changes.retryRejected(op, 1)).toEqual({ ok: true, value: [] });
  expect(title(a)).toBe("three");
});

test("[OP26] what the home that this one was copied from wrote later is not this one's", () => {
  const { server, a } = world();
  make(a, put("record1", { title: "one" }));
  settle(a, server);
  make(a, set("record1", { title: "hush two" }));
  refuseOne(a, server);
  const copy = cloneOf(a);
  make(a, set("record1", { title: "three" }));
  settle(a, server);
  make(copy, put("record2", { title: "more" }));
  settle(copy, server);
  expect(mendAll(copy)).toEqual([true]);
  settle(copy, server);
  settle(a, server);
  for (const store of [copy, a]) {
    expect(title(store)).toBe("three");
    expect(conflictsOf(store)).toContain("two");
  }
});

test.each(["nobody", "somebody else"])(
  "[OP27] what was written over it and given up again keeps it not back, whether %s wrote since",
  (who) => {
    const { server, a, b } = world();
    make(a, put("record1", { title: "one" }));
    settle(a, server);
    settle(b, server);
    server.refusals.set("record1", "quota");
    make(a, set("record1", { title: "two" }), set("record1", { title: "three" }));
    pushOnce(a, server);
    server.refusals.clear();
    const [two, three] = a.reads.rejected();
    if (two === undefined || three === undefined) throw new Error("two are refused");
    expect(a.changes.dropRejected(three)).toBe(1);
    if (who !== "nobody") {
      make(b, set("record1", { title: "x" }), set("record1", { title: "of b" }));
      make(b, set("record1", { title: "y" }), set("record1", { title: "of b" }));
      settle(b, server);
      settle(a, server);
      expect(title(a)).toBe("of b");
    }
    expect(a.changes.retryRejected(two, 1)).toMatchObject({ ok: true, value: [{ changed: true }] });
    settle(a, server);
    settle(b, server);
    expect([title(a), title(b)]).toEqual(["two", "two"]);
  },
);

test("[OP26] a value that is mended with a newer one keeps its own clock", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one", narrative: "told" }));
  make(a, set("record1", { title: "hush two" }));
  const copy = cloneOf(a);
  make(copy, set("record1", { narrative: "told anew" }));
  make(a, set("record1", { title: "hush three" }));
  make(a, set("record1", { title: "hush four" }));
  for (const store of [a, copy]) {
    server.refusals.set("record1", "secret-detected");
    pushOnce(store, server, 9);
    server.refusals.clear();
    pullAll(store, server);
    pushOnce(store, server, 9);
  }
  mendAll(copy);
  settle(copy, server);
  mendAll(a);
  for (const store of [a, b, copy]) settle(store, server);
  for (const store of [a, b, copy]) {
    const fields = { title: "four", narrative: "told anew" };
    expect(store.reads.get(namespace, id("record1"))?.fields).toEqual(fields);
  }
});

test("[OP27] a record that was made anew over what had no beginning is over it", () => {
  const { server, a, b } = world();
  make(a, put("record1", { narrative: "one" }));
  server.refusals.set("record1", "quota");
  pushOnce(a, server);
  make(a, set("record1", { title: "two" }));
  pushOnce(a, server);
  server.refusals.clear();
  const [beginning, two] = a.reads.rejected();
  if (beginning === undefined || two === undefined) throw new Error("two are refused");
  expect(a.changes.dropRejected(beginning)).toBe(1);
  make(a, put("record1", { title: "three" }));
  settle(a, server);
  expect(a.changes.retryRejected(two, 1)).toEqual({ ok: true, value: [] });
  settle(a, server);
  settle(b, server);
  expect([title(a), title(b)]).toEqual(["three", "three"]);
});

test("[OP26] a put takes nothing along that was refused for another reason", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }), set("record1", { narrative: "hush more" }));
  refuseOne(a, server);
  server.refusals.set("record1", "quota");
  pushOnce(a, server);
  server.refusals.clear();
  const [op] = a.reads.rejected();
  if (op === undefined) throw new Error("two are refused");
  expect(a.changes.mendRejected(op, cleaned).ok).toBe(true);
  expect(a.reads.rejected()).toMatchObject([{ op: "set", code: "quota" }]);
  settle(a, server);
  settle(b, server);
  expect(b.reads.get(namespace, id("record1"))?.fields).toEqual({ title: "one" });
});

test("[OP26] a put that is newer than what it takes along keeps its own clock", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "hush one" }), set("record1", { title: "unknown two" }));
  const copy = cloneOf(a);
  make(copy, set("record1", { title: "of the copy" }));
  make(a, put("record2", { title: "between" }));
  make(a, set("record1", { title: "hush unknown three" }));
  const refuseAll = (store: Store): void => {
    server.refusals.set("record1", "secret-detected");
    pushOnce(store, server);
    server.refusals.clear();
    mendAll(store);
  };
  refuseAll(a);
  refuseAll(a);
  pullAll(copy, server);
  server.refusals.set("record1", "secret-detected");
  pushOnce(copy, server, 2);
  server.refusals.clear();
  settle(copy, server);
  mendAll(copy);
  settle(copy, server);
  const op = a.reads.rejected().find((each) => each.op === "put");
  if (op === undefined) throw new Error("the put is refused again");
  expect(a.changes.mendRejected(op, knowing).ok).toBe(true);
  for (const store of [a, copy, b]) settle(store, server);
  expect([title(a), title(b)]).toEqual(["known three", "known three"]);
  expect(conflictsOf(b)).toEqual(["of the copy"]);
});
