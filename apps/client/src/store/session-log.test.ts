import { collections, type NamespaceId } from "@tidemark/protocol";
import type { ScrubbedJson } from "@tidemark/scrubber";
import { expect, test } from "vitest";
import type { Store } from "./store.ts";
import { pullAll, settle } from "./testing/exchange.ts";
import { scrubbed } from "./testing/test-store.ts";
import { at, id, make, namespace, world } from "./testing/world.ts";

const [session, other] = [id("session1"), id("session2")];
const forget = { kind: "forget", id: session } as const;

/** A store that has told of two sessions, each with a record. */
function tell(store: Store): void {
  for (const each of [session, other]) {
    const payload = { prompt: "mend the queue" } as unknown as ScrubbedJson;
    store.sessions.addEvent({ key: `${each}/1`, session: each, atMs: at, payload });
  }
}

function record(title: string) {
  const collection = collections.session;
  return { kind: "put", id: session, collection, fields: scrubbed({ title }) } as const;
}

test("[ST29] what was kept of a session goes when it is forgotten here", () => {
  const { a } = world();
  tell(a);
  make(a, record("one"));
  make(a, forget);
  expect(a.sessions.events(session)).toEqual([]);
  expect(a.sessions.sessionsSince(0)).toEqual([other]);
  a.close();
});

test("[ST29] what was kept of a session goes when it was forgotten on another device", () => {
  const { server, a, b } = world();
  tell(a);
  make(a, record("one"));
  settle(a, server);
  pullAll(b, server);
  make(b, forget);
  settle(b, server);
  expect(a.sessions.events(session)).toHaveLength(1);
  pullAll(a, server);
  expect(a.reads.find(session)).toMatchObject({ ok: false, error: { kind: "forgotten" } });
  expect(a.sessions.events(session)).toEqual([]);
  a.close();
  b.close();
});

test("[ST29] a session that stands in another namespace keeps its events until it is forgotten there", () => {
  const { a } = world();
  tell(a);
  make(a, record("one"));
  const own = "local" as NamespaceId;
  expect(a.changes.change(own, [record("two")], at).ok).toBe(true);
  make(a, forget);
  expect(a.sessions.events(session)).toHaveLength(1);
  expect(a.changes.change(own, [forget], at).ok).toBe(true);
  expect(a.sessions.events(session)).toEqual([]);
  expect(a.reads.get(namespace, session)).toBeUndefined();
  a.close();
});
