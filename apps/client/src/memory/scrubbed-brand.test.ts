import type { RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Change } from "../store/local-store.ts";
import type { NewAgentEvent } from "../store/session-log.ts";
import { testScrub } from "./testing/scrub.ts";

const id = "r1" as RecordId;

test("[SC50] what memory scrubbed is a change of the store, and a plain value does not compile", () => {
  const title = testScrub().value("a title", "title");
  if (!title.ok) throw new Error(title.error.kind);
  const changes: readonly Change[] = [
    { kind: "set", id, fields: { title: title.value } },
    // @ts-expect-error -- a plain string is not scrubbed
    { kind: "set", id, fields: { title: "a title" } },
    // @ts-expect-error -- nor is what only looks like a record's fields
    { kind: "put", id, collection: "observation", fields: { facts: ["a fact"] } },
  ];
  // @ts-expect-error -- nor is an event's payload
  const event: NewAgentEvent = { key: "k", session: "s", atMs: 0, payload: { a: 1 } };
  expect([changes.length, event.key]).toEqual([3, "k"]);
});
