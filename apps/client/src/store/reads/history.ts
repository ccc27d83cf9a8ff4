import {
  canonicalJson,
  collections,
  isTombstone,
  registersOfOp,
  type JsonValue,
  type NamespaceId,
  type RecordId,
  type Register,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { HistoryEntry } from "../local-store.ts";
import { readPast } from "../records/past.ts";
import type { OutboxRow } from "../rows.ts";
import { openedValue } from "../sealed/opened-state.ts";
import { openedOpOf } from "../sealed/sealed-ops.ts";
import { isLiveView, viewOf } from "../view/view.ts";
import { createAuthors } from "./authors.ts";
import { listConflicts } from "./conflicts.ts";

interface Value {
  readonly field: string;
  readonly register: Register;
  readonly state: HistoryEntry["state"];
}

/**
 * Every value that this device knows a record to have had, newest first (ST8): what is current,
 * what waits in the outbox, what was replaced here, and losers of conflicts. A server may know more.
 */
export function historyOf(
  context: StoreContext,
  namespace: NamespaceId,
  id: RecordId,
): readonly HistoryEntry[] {
  const view = viewOf(context, namespace, id);
  if (!isLiveView(view)) return [];
  const values = [
    ...view.ops.flatMap((op) => valuesOfOp(context, op)),
    ...valuesOfState(view.state, "current"),
    ...conflictValues(context, namespace, id),
    ...(view.confirmed === undefined ? [] : valuesOfState(view.confirmed, "past")),
    ...pastValues(context, namespace, id),
  ];
  const authors = createAuthors(context);
  return distinct(values)
    .toSorted(newestFirst)
    .map(({ field, register, state }) => ({
      field,
      value: register.value,
      lamport: register.clock.lamport,
      writer: register.clock.writer,
      author: authors.author(namespace, register.clock.writer),
      at: register.at,
      state,
    }));
}

/**
 * What a server has told of a record's past, as a person reads it (EE27); without what does not open
 * here. In a namespace that is not encrypted it is what it was.
 */
export function openedEntries(
  context: StoreContext,
  { namespace, id }: { readonly namespace: NamespaceId; readonly id: RecordId },
  entries: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  return entries.flatMap(({ field, value, lamport, writer, at, ...rest }) => {
    const register = { value, clock: { lamport, writer }, at };
    const open = openedValue(context, namespace, { record: id, field, register });
    if (open === undefined) return [];
    const { value: shown, at: madeAt } = open.register;
    return [{ ...rest, field: open.field, value: shown, lamport, writer, at: madeAt }];
  });
}

function valuesOfOp(context: StoreContext, row: OutboxRow): readonly Value[] {
  const { op, writer } = openedOpOf(context, row);
  if (op.op === "forget" || row.state === "acked") return [];
  const state = row.state === "rejected" ? "rejected" : "unsent";
  return Object.entries(registersOfOp(op, writer)).map(([field, register]) => ({
    field,
    register,
    state,
  }));
}

function valuesOfState(state: RecordState, as: HistoryEntry["state"]): readonly Value[] {
  if (isTombstone(state)) return [];
  return Object.entries(state.registers).map(([field, register]) => ({
    field,
    register,
    state: as,
  }));
}

function pastValues(context: StoreContext, namespace: string, id: RecordId): readonly Value[] {
  return readPast(context, namespace, id).flatMap((row) => {
    const register = {
      value: JSON.parse(row.value) as JsonValue,
      clock: { lamport: row.lamport, writer: row.writer as WriterId },
      at: row.at,
    };
    const open = openedValue(context, namespace, { record: id, field: row.field, register });
    return open === undefined ? [] : [{ ...open, state: "past" as const }];
  });
}

function conflictValues(
  context: StoreContext,
  namespace: NamespaceId,
  id: RecordId,
): readonly Value[] {
  return listConflicts(context, { namespaces: [namespace], record: id }).map((conflict) => ({
    field: conflict.field,
    register: {
      value: conflict.value,
      clock: { lamport: conflict.lamport, writer: conflict.writer },
      at: conflict.at,
    },
    state: collections.conflict,
  }));
}

// The first mention of a register says the most about it.
function distinct(values: readonly Value[]): readonly Value[] {
  const byKey = new Map<string, Value>();
  for (const value of values) {
    const { lamport, writer } = value.register.clock;
    const key = `${value.field}\n${lamport}\n${writer}\n${canonicalJson(value.register.value)}`;
    if (!byKey.has(key)) byKey.set(key, value);
  }
  return [...byKey.values()];
}

function newestFirst(left: Value, right: Value): number {
  const one = left.register.clock;
  const other = right.register.clock;
  if (one.lamport !== other.lamport) return other.lamport - one.lamport;
  if (one.writer !== other.writer) return one.writer < other.writer ? 1 : -1;
  return left.field < right.field ? -1 : 1;
}
