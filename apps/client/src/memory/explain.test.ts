import { expect, test } from "vitest";
import type { RecordId, NamespaceId } from "@tidemark/protocol";
import { explain, type MemoryError } from "./explain.ts";

const id = "record-1" as RecordId;
const namespace = "ns_team" as NamespaceId;

const errors: readonly MemoryError[] = [
  { kind: "unknown-record", id },
  { kind: "forgotten", id },
  { kind: "ambiguous", id, ids: [{ namespace, id }] },
  { kind: "too-short", id, charsMin: 6 },
  { kind: "read-only", namespace },
  { kind: "read-only", namespace, id },
  { kind: "parked", namespace },
  { kind: "parked", namespace, id },
  { kind: "closed", namespace },
  { kind: "unknown-namespace", namespace },
  { kind: "immutable", id },
  { kind: "collection-mismatch", id },
  { kind: "not-an-observation", id, collection: "handoff" },
  { kind: "invalid-value", field: "title", why: "no text" },
  { kind: "too-large", bytes: 2, bytesMax: 1 },
  { kind: "too-deep" },
  { kind: "bad-number" },
  { kind: "bad-key" },
  { kind: "not-json" },
  { kind: "not-an-assignment", text: "x" },
  { kind: "fixed-field", field: "origin" },
  { kind: "unknown-field", field: "tilte", meant: "title" },
  { kind: "unknown-field", field: "colour", meant: undefined },
  { kind: "bad-value", field: "pinned", expected: "true or false" },
  { kind: "too-long", field: "title", max: 300, unit: "characters" },
  { kind: "no-title" },
  { kind: "same-record", id },
  { kind: "other-namespace", id },
  { kind: "not-a-conflict", id },
  { kind: "not-author", id, namespace },
];

test.each(errors)("[CL3] $kind is explained with its code and a way out", (error) => {
  const { code, message, hint } = explain(error);
  expect(code).toBe(error.kind);
  expect(message).toMatch(/^[^.]+$/u);
  expect(hint.length).toBeGreaterThan(5);
});

test("[CL3] a reader is told where else to save", () => {
  expect(explain({ kind: "read-only", namespace }).hint).toContain("--namespace");
});

test("[CL81] who may not change a record is told what to do about that record", () => {
  const left = explain({ kind: "parked", namespace, id });
  expect(left.hint).toContain(`tidemark export --namespace ${namespace}`);
  const reader = explain({ kind: "read-only", namespace, id });
  expect(reader.hint).toContain(`tidemark namespace members ${namespace}`);
  for (const { hint } of [left, reader]) expect(hint).not.toContain("save to another");
});

test("[CL80] one record in several namespaces is told with each of them", () => {
  const other = "ns_other" as NamespaceId;
  const { message, hint } = explain({
    kind: "ambiguous",
    id,
    ids: [namespace, other].map((one) => ({ namespace: one, id })),
  });
  expect(message).toBe(`the record ${id} stands in 2 namespaces`);
  expect(hint).toBe("say which one is meant: --namespace ns_team, or --namespace ns_other");
});
