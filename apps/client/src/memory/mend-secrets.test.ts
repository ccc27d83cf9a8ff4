import { expect, test } from "vitest";
import { ok } from "@tidemark/protocol";
import { pairedStore } from "../store/testing/exchange.ts";
import { make, namespace, put } from "../store/testing/world.ts";
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
