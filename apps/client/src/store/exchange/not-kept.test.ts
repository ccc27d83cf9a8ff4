import { chainNext, type OpResult, type Position } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { askPage, pullOnce, pushOnce, settle } from "../testing/exchange.ts";
import type { TestServer } from "../testing/test-server.ts";
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

/** Answers a push as one that was taken, with these results, by a server that keeps nothing of it. */
function lieOnce(store: Store, result?: "forgotten" | "conflict"): Position {
  const plan = store.replicas.planPush(namespace, { ops: 500, bytes: 1_000_000 });
  if (plan === undefined) throw new Error("nothing to push");
  const { after, chain: start } = plan.header;
  const numbers = plan.lines.map((_, index) => after + index + 1);
  const results: readonly OpResult[] =
    result === undefined ? [] : numbers.map((n) => ({ n, result }));
  const chain = plan.lines.reduce((before, line) => chainNext(testSha256, before, line), start);
  const position = { acked: after + plan.lines.length, chain, since: after, results };
  const { head, lamport } = replica(store);
  const answer = { head, lamport, mark: "", position, results };
  store.replicas.takePushAnswer(namespace, plan, answer);
  return position;
}

/** Pulls what the server truly has, under a position that it does not. */
function pullUnder(store: Store, server: TestServer, position: Position): void {
  const { plan, page } = askPage(store, server);
  store.replicas.takePage(namespace, plan, { ...page, tail: { ...page.tail, position } });
}

test.each([[undefined], ["forgotten"], ["conflict"]] as const)(
  "[AU62] what a push was said to do (%s), and the verified set does not show, stays as refused",
  (result) => {
    const { server, a, b } = world();
    make(a, put("record1", { title: "one" }), put("record3", { title: "three" }));
    settle(a, server);
    make(a, set("record1", { title: "uno" }), put("record2", { title: "two" }));
    make(a, { kind: "forget", id: id("record3") });
    const position = lieOnce(a, result);
    expect([title(a), title(a, "record2")]).toEqual(["uno", "two"]);
    pullUnder(a, server, position);
    expect(replica(a)).toMatchObject({ unsent: 0, unverified: 0, rejected: 3, verified: true });
    expect([title(a), title(a, "record2"), title(a, "record3")]).toEqual(["uno", "two", undefined]);
    expect(a.reads.rejected().map(({ code }) => code)).toEqual([
      "not-kept",
      "not-kept",
      "not-kept",
    ]);
    for (const op of a.reads.rejected()) expect(a.changes.retryRejected(op, at).ok).toBe(true);
    settle(a, server);
    settle(b, server);
    expect([title(b), title(b, "record2"), title(b, "record3")]).toEqual(["uno", "two", undefined]);
  },
);

test("[AU62] an op whose server does not know its writer any more goes out again", () => {
  const { server, a, b } = world();
  make(a, put("record1", { title: "one" }));
  lieOnce(a, "forgotten");
  expect(title(a)).toBe("one");
  settle(a, server);
  settle(b, server);
  expect([title(b), replica(a).rejected]).toEqual(["one", 0]);
});

test("[OP18] what was changed unaware of a forget is erased with the page that brings the tombstone", () => {
  const { server, a, b } = forgottenUnseen();
  make(b, put("record2", { title: "two" }));
  settle(b, server);
  make(a, set("record1", { title: "late" }));
  expect(pushOnce(a, server)).toMatchObject({ kind: "taken" });
  expect(replica(a)).toMatchObject({ unsent: 0, unverified: 1 });
  expect(pullOnce(a, server, 1)).toEqual({ kind: "taken" });
  expect(replica(a)).toMatchObject({ unverified: 0, rejected: 0, verified: false });
  expect(title(a)).toBeUndefined();
});

test("[OP19] all ops that one verified set shows leave the outbox, however many they are", () => {
  const { server, a } = world();
  make(a, ...Array.from({ length: 501 }, (_, n) => put(`record${n}`, { title: `${n}` })));
  pushOnce(a, server, 501);
  pullOnce(a, server);
  expect(replica(a)).toMatchObject({ verified: true, unverified: 0, unsent: 0, rejected: 0 });
});
