import {
  highestLamport,
  oldestRegister,
  type JsonObject,
  type JsonValue,
  type LiveRecord,
  type NamespaceId,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type { Author } from "../local-store.ts";
import type { LiveView } from "../view/view.ts";
import type { Authors } from "./authors.ts";

/** A record of any collection, as a person sees it. */
export interface RecordView {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly collection: string;
  readonly parent: RecordId | null;
  readonly fields: JsonObject;
  readonly author: Author;
  /** The writer of the oldest register: the record's author. */
  readonly writer: WriterId;
  readonly trust: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  /** The highest lamport of its registers. */
  readonly lamport: number;
  readonly seq: number | null;
  readonly state: "confirmed" | "unsent" | "rejected";
}

/** Makes the view of a record from its registers. */
export function recordViewOf(authors: Authors, namespace: NamespaceId, view: LiveView): RecordView {
  const { state } = view;
  const oldest = oldestRegister(state.registers);
  const writer = oldest?.clock.writer ?? ("" as WriterId);
  return {
    id: state.id,
    namespace,
    collection: state.collection,
    parent: state.parent ?? null,
    fields: fieldsOf(state),
    author: authors.author(namespace, writer),
    writer,
    trust: authors.trust(namespace, state, view.seq),
    createdAtMs: oldest?.at ?? 0,
    changedAtMs: Math.max(0, ...Object.values(state.registers).map(({ at }) => at)),
    lamport: highestLamport(state),
    seq: view.seq,
    state: deliveryOf(view),
  };
}

function deliveryOf(view: LiveView): RecordView["state"] {
  if (view.ops.some(({ state }) => state === "rejected")) return "rejected";
  return view.ops.some(({ state }) => state !== "acked") ? "unsent" : "confirmed";
}

function fieldsOf(record: LiveRecord): JsonObject {
  return Object.fromEntries(
    Object.entries(record.registers).map(([field, { value }]): [string, JsonValue] => [
      field,
      value,
    ]),
  );
}
