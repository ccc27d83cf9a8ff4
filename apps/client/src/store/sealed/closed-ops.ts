/** Ops of the outbox that are sealed under keys which are not here: sealed anew now, they would be lost. */
import { isEncryptedId, type Op } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { markOp, opsInState } from "../records/outbox.ts";
import type { OutboxRow, ReplicaRow } from "../rows.ts";
import { isSealed, openedOpOf } from "./sealed-ops.ts";

/** Why an op is set aside that no server has refused. */
export const noKeyCode = "no-key";

/** The op of a row, opened; undefined where a field of it does not open, so that it cannot be sealed anew. */
export function wholeOpOf(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "line" | "writer">,
): Op | undefined {
  const made = JSON.parse(row.line) as Op;
  const { op } = openedOpOf(context, row);
  if (made.op === "forget" || op.op === "forget") return op;
  // Without any key it is given as it is; with one, without the fields that do not open.
  const isOpen = !isSealed(op) && Object.keys(op.fields).length === Object.keys(made.fields).length;
  return isOpen ? op : undefined;
}

/** Whether an op would say nothing if it were made anew now: it waits for its key, or does not open. */
export function isClosedOp(
  context: StoreContext,
  row: Pick<OutboxRow, "namespace" | "line" | "writer" | "code">,
): boolean {
  if (!isEncryptedId(row.namespace)) return false;
  return row.code === noKeyCode || wholeOpOf(context, row) === undefined;
}

/**
 * Sets ops aside that do not open, with all else that was written to their records, until their keys
 * are back (EE30): a seal names its writer, so under another one nobody could ever open them. Gives the rest.
 */
export function setClosedAside(
  context: StoreContext,
  { namespace }: Pick<ReplicaRow, "namespace">,
  rows: readonly OutboxRow[],
): readonly OutboxRow[] {
  if (!isEncryptedId(namespace)) return rows;
  const closed = recordsOf([
    ...asideOf(context, namespace),
    ...rows.filter((row) => wholeOpOf(context, row) === undefined),
  ]);
  // What a person has forgotten is forgotten everywhere, though the key never comes back.
  const waits = ({ op, record }: OutboxRow): boolean => op !== "forget" && closed.has(record);
  for (const row of rows.filter(waits)) markOp(context, row, "rejected", noKeyCode);
  return rows.filter((row) => !waits(row));
}

/**
 * Has what was set aside wait to be sent again where all of its record opens now, with what a server
 * refused meanwhile because it builds on it. Gives whether there is any.
 */
export function takeOpenedBack(
  context: StoreContext,
  { namespace }: Pick<ReplicaRow, "namespace">,
): boolean {
  const aside = asideOf(context, namespace);
  const closed = recordsOf(aside.filter((row) => wholeOpOf(context, row) === undefined));
  const opened = aside.filter(({ record }) => !closed.has(record));
  for (const row of opened) markOp(context, row, "pending", null);
  return opened.length > 0;
}

function asideOf(context: StoreContext, namespace: string): readonly OutboxRow[] {
  const rows = opsInState(context, namespace, "rejected");
  const waiting = recordsOf(rows.filter(({ code }) => code === noKeyCode));
  return rows.filter(
    ({ code, record }) => code === noKeyCode || (code === "depends" && waiting.has(record)),
  );
}

function recordsOf(rows: readonly OutboxRow[]): ReadonlySet<string> {
  return new Set(rows.map(({ record }) => record));
}
