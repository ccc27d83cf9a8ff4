import { expect, test } from "vitest";
import { ok } from "@tidemark/protocol";
import type { Store } from "../store/store.ts";
import { hintOf, StoreFailure } from "../store/store-error.ts";
import { pairedStore } from "../store/testing/exchange.ts";
import { make, namespace, put, set } from "../store/testing/world.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { mendSecrets } from "./mend-secrets.ts";
import type { Scrub } from "./scrub.ts";

const blind: Scrub = {
  value: (value) => ok(value as never),
  payload: (payload) => payload,
  text: (text) => text,
};

test("[SC61] what a device cannot mend waits for a person, and is not sent again", () => {
  const server = new TestServer(namespace);
  server.refusals.set("record1", "secret-detected");
  const store = pairedStore(server);
  const replicas = mendSecrets({ store, scrub: blind });
  make(store, put("record1", { title: "hidden" }));
  const plan = replicas.planPush(namespace, { ops: 10, bytes: 1_000_000 });
  if (plan === undefined) throw new Error("there is something to push");
  const answer = server.push(plan);
  if ("kind" in answer) throw new Error("refused");
  replicas.takePushAnswer(namespace, plan, answer);
  expect(store.reads.rejected()).toMatchObject([{ record: "record1", code: "secret-detected" }]);
  expect(replicas.planPush(namespace, { ops: 10, bytes: 1_000_000 })).toBeUndefined();
});

test.each(["page", "position"] as const)(
  "[SC61] a refusal that is first heard of by a %s is mended as well",
  (lane) => {
    const server = new TestServer(namespace);
    server.refusals.set("record1", "secret-detected");
    const store = pairedStore(server);
    const sighted: Scrub = { ...blind, value: () => ok("scrubbed" as never) };
    const replicas = mendSecrets({ store, scrub: sighted });
    make(store, put("record1", { title: "hidden" }));
    const plan = replicas.planPush(namespace, { ops: 10, bytes: 1_000_000 });
    const pull = replicas.planPull(namespace);
    if (plan === undefined || pull === undefined) throw new Error("a paired store can sync");
    const answer = server.push(plan);
    if ("kind" in answer) throw new Error("refused");
    // The answer itself is lost.
    const page = server.pull(pull.after, plan.header.writer);
    if ("kind" in page) throw new Error("refused");
    if (lane === "page") replicas.takePage(namespace, pull, page);
    else replicas.takePosition(namespace, plan.ackedAtRequest, answer.position);
    expect(store.reads.rejected()).toEqual([]);
    const [line] = replicas.planPush(namespace, { ops: 10, bytes: 1_000_000 })?.lines ?? [];
    expect(line).toContain('"title":"scrubbed"');
  },
);

const sighted: Scrub = { ...blind, value: () => ok("scrubbed" as never) };
const limits = { ops: 10, bytes: 1_000_000 };

/** A store whose first change the server refuses for a secret; `push` sends what waits. */
function refusing() {
  const server = new TestServer(namespace);
  server.refusals.set("record1", "secret-detected");
  const store = pairedStore(server);
  make(store, put("record1", { title: "hidden" }));
  const push = (replicas: Store["replicas"]): void => {
    const plan = replicas.planPush(namespace, limits);
    if (plan === undefined) throw new Error("there is something to push");
    const answer = server.push(plan);
    if ("kind" in answer) throw new Error("refused");
    replicas.takePushAnswer(namespace, plan, answer);
  };
  return { store, server, push };
}

test("[SC81] a program that died between a refusal and its mending leaves it to the next one", () => {
  const { store, push } = refusing();
  push(store.replicas);
  // What a server tells of an earlier push than the last is nothing.
  make(store, put("record2", { title: "open" }));
  const replicas = mendSecrets({ store, scrub: sighted });
  push(replicas);
  expect(store.reads.rejected()).toEqual([]);
  expect(replicas.planPush(namespace, limits)?.lines[0]).toContain('"title":"scrubbed"');
});

test("[SC81] what a busy database kept from being mended is mended with the next answer", () => {
  const { store, push } = refusing();
  let isBusy = true;
  const mendRejected: Store["changes"]["mendRejected"] = (...asked) => {
    if (!isBusy) return store.changes.mendRejected(...asked);
    throw new StoreFailure({ kind: "busy", message: "locked", hint: hintOf("busy") });
  };
  const changes = { ...store.changes, mendRejected };
  const replicas = mendSecrets({ store: { ...store, changes }, scrub: sighted });
  expect(() => {
    push(replicas);
  }).toThrow("locked");
  expect(store.reads.rejected()).toHaveLength(1);
  isBusy = false;
  make(store, put("record2", { title: "open" }));
  push(replicas);
  expect(store.reads.rejected()).toEqual([]);
});

test("[SC81] a running program looks again only where something was refused since", () => {
  const { store, push } = refusing();
  let looks = 0;
  const rejected: Store["reads"]["rejected"] = (...asked) => {
    looks += 1;
    return store.reads.rejected(...asked);
  };
  const reads = { ...store.reads, rejected };
  const replicas = mendSecrets({ store: { ...store, reads }, scrub: blind });
  push(replicas);
  for (const record of ["record2", "record3"]) {
    make(store, put(record, { title: "open" }));
    push(replicas);
  }
  expect(looks).toBe(1);
});

test("[SC81] a put that waits for what is on its way over it is looked at with each answer", () => {
  const server = new TestServer(namespace);
  const store = pairedStore(server);
  const clean: Scrub = {
    ...blind,
    value: (value) => ok((typeof value === "string" ? value.replace("hush ", "") : value) as never),
  };
  const replicas = mendSecrets({ store, scrub: clean });
  make(store, put("record1", { title: "hush one" }));
  make(store, set("record1", { title: "two" }));
  const push = (ops: number): void => {
    const plan = replicas.planPush(namespace, { ...limits, ops });
    if (plan === undefined) throw new Error("there is something to push");
    const answer = server.push(plan);
    if ("kind" in answer) throw new Error("refused");
    replicas.takePushAnswer(namespace, plan, answer);
  };
  server.refusals.set("record1", "secret-detected");
  push(1);
  server.refusals.clear();
  expect(store.reads.rejected()).toMatchObject([{ op: "put", code: "secret-detected" }]);
  push(1);
  expect(store.reads.rejected()).toEqual([]);
  const [line] = replicas.planPush(namespace, limits)?.lines ?? [];
  expect(line).toContain('"title":"two"');
});

test("[OP29] a put that cannot be mended goes once a person has written over what was refused", () => {
  const { store, server, push } = refusing();
  const replicas = mendSecrets({ store, scrub: blind });
  push(replicas);
  expect(store.reads.rejected()).toHaveLength(1);
  server.refusals.clear();
  make(store, set("record1", { title: "open" }));
  push(replicas);
  expect(store.reads.rejected()).toEqual([]);
  push(replicas);
  expect(server.state("record1")).toMatchObject({ registers: { title: { value: "open" } } });
});
