import { createHash } from "node:crypto";
import {
  canonicalJson,
  type AuditEvent,
  type AuditFacts,
  type DeviceId,
  type NamespaceId,
  type UserId,
} from "@tidemark/protocol";

/** One event as whoever caused it tells it; what is left out is unknown or has no meaning there. */
export type AuditEntry = {
  readonly [Event in AuditEvent]: {
    readonly event: Event;
    readonly details: AuditFacts[Event];
    readonly actorUser?: UserId | undefined;
    readonly actorDevice?: DeviceId | undefined;
    /** Whose devices are told, where it is about a person's own. */
    readonly aboutUser?: UserId | undefined;
    readonly namespace?: NamespaceId | undefined;
    /** The id of the device, person, link or key that it happened to. */
    readonly target?: string | undefined;
    /** Where the request came from: the network's prefix, never the whole address. */
    readonly network?: string | undefined;
  };
}[AuditEvent];

/** A row of the audit as it is kept. */
export interface AuditRow {
  readonly seq: number;
  readonly atMs: number;
  readonly event: AuditEvent;
  readonly actorUser: UserId | null;
  readonly actorDevice: DeviceId | null;
  readonly aboutUser: UserId | null;
  readonly namespace: NamespaceId | null;
  readonly target: string | null;
  readonly network: string | null;
  /** Canonical JSON. */
  readonly details: string;
  /** Covers all of the above and the hash of the row before (AD1). */
  readonly hash: string;
}

/** Where the audit ends; before the first row `{ seq: 0, hash: "" }`. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** The row that an entry becomes after a head. */
export function nextAuditRow(head: AuditHead, atMs: number, entry: AuditEntry): AuditRow {
  const row = {
    seq: head.seq + 1,
    atMs,
    event: entry.event,
    actorUser: entry.actorUser ?? null,
    actorDevice: entry.actorDevice ?? null,
    aboutUser: entry.aboutUser ?? null,
    namespace: entry.namespace ?? null,
    target: entry.target ?? null,
    network: entry.network ?? null,
    details: canonicalJson(entry.details),
  };
  return { ...row, hash: auditHash(head.hash, row) };
}

/** SHA-256 over canonical JSON of a row's columns and the hash before, base64url (AD1). */
export function auditHash(before: string, row: Omit<AuditRow, "hash">): string {
  const { seq, atMs, event, actorUser, actorDevice, aboutUser, namespace, target } = row;
  const { network, details } = row;
  const columns = { seq, atMs, event, actorUser, actorDevice, aboutUser, namespace, target };
  const text = canonicalJson({ ...columns, network, details, before });
  return createHash("sha256").update(text).digest("base64url");
}

/** What is found where a row was written down elsewhere (AD8). */
export function compareRow(
  known: AuditHead,
  hash: string | undefined,
): "holds" | "missing" | "other" {
  if (known.seq === 0 || hash === known.hash) return "holds";
  return hash === undefined ? "missing" : "other";
}

/** Whether the audit is what was written, as far as its own chain can tell. */
export interface AuditVerdict {
  /** Rows that hold, counted from the first. */
  readonly rows: number;
  /** The last row that holds: whoever has written it down elsewhere can tell a rewritten audit. */
  readonly head: AuditHead;
  /** The first row that does not fit, or that is missing; absent where all hold. */
  readonly brokenAt?: number;
}

/**
 * Follows the chain through rows in their order. Stops at the first that does not fit: a wrong
 * number, a column that was changed, a row that was taken out or put in (AD3).
 *
 * @returns the last row that holds, and the seq at which the chain breaks
 */
export function followChain(
  from: AuditHead,
  rows: readonly AuditRow[],
): { readonly head: AuditHead; readonly brokenAt?: number } {
  let head = from;
  for (const { hash, ...row } of rows) {
    const seq = head.seq + 1;
    if (row.seq !== seq || auditHash(head.hash, row) !== hash) return { head, brokenAt: seq };
    head = { seq, hash };
  }
  return { head };
}
