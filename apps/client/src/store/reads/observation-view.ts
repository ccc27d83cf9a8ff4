import {
  highestLamport,
  isArray,
  oldestRegister,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { Observation } from "../observation.ts";
import { createdAt } from "../view/search-side.ts";
import type { LiveView } from "../view/view.ts";
import type { Authors } from "./authors.ts";

/**
 * Makes an observation of a record's registers. Fields come from other devices and versions, so
 * what has another shape counts as not there.
 */
export function observationOf(
  authors: Authors,
  namespace: NamespaceId,
  view: LiveView,
): Observation {
  const { state } = view;
  const value = (field: string): JsonValue => state.registers[field]?.value ?? null;
  const writer = oldestRegister(state.registers)?.clock.writer ?? ("" as WriterId);
  return {
    id: state.id,
    namespace,
    project: textOf(value("project")),
    kind: textOf(value("kind")) ?? "note",
    title: textOf(value("title")) ?? "",
    narrative: textOf(value("narrative")) ?? "",
    facts: textsOf(value("facts")),
    concepts: textsOf(value("concepts")),
    filesRead: textsOf(value("filesRead")),
    filesModified: textsOf(value("filesModified")),
    pinned: value("pinned") === true,
    archived: value("archived") === true,
    supersededBy: textOf(value("supersededBy")) as RecordId | null,
    author: authors.author(namespace, writer),
    editedBy: authors.editor(namespace, state),
    origin: originOf(value("origin")),
    trust: authors.trust(namespace, state, view.seq),
    reviewed: authors.isReviewed(namespace, state, view.seq),
    agent: textOf(value("agent")),
    session: textOf(value("session")),
    createdAt: createdAt(state),
    lamport: highestLamport(state),
    seq: view.seq,
  };
}

const origins: ReadonlySet<JsonValue> = new Set<Observation["origin"]>([
  "user",
  "agent",
  "tool",
  "web",
  "import",
]);

// An origin that this version does not know is trusted least.
function originOf(value: JsonValue): Observation["origin"] {
  return origins.has(value) ? (value as Observation["origin"]) : "web";
}

function textOf(value: JsonValue): string | null {
  return typeof value === "string" ? value : null;
}

function textsOf(value: JsonValue): readonly string[] {
  return isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
