import type { NamespaceId, UserId } from "@tidemark/protocol";
import type { AuditEntry } from "../audit-chain.ts";
import { deviceRefusedEntry } from "../audit-entries.ts";
import { outsideEveryMs, type Outsider } from "../audit-port.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./door.ts";

/** See `AuditStore.noteOutsider`. */
export async function noteOutsider(tx: Transaction, input: Outsider): Promise<void> {
  const { device: id, nowMs, network } = input;
  // The lock makes two refusals at once one row.
  const [found] = await tx<RefusedDevice[]>`
    select user_id as user, name, only_namespace_id as namespace from tidemark.devices
    where id = ${id} and status <> 'revoked' for update`;
  if (found === undefined) return;
  const namespace = found.namespace ?? undefined;
  await noteOutside(tx, deviceRefusedEntry({ ...found, id, namespace }, network), nowMs);
}

interface RefusedDevice {
  readonly user: UserId;
  readonly name: string;
  readonly namespace: NamespaceId | null;
}

/**
 * Tells of something that is used from outside of its networks, at most once in a while (PR14).
 * Whoever calls holds the lock of its row.
 */
export async function noteOutside(
  tx: Transaction,
  entry: AuditEntry,
  nowMs: number,
): Promise<void> {
  const told = await tx`
    select 1 from tidemark.audit
    where about_user = ${entry.aboutUser ?? null} and event = ${entry.event}
      and target = ${entry.target ?? null} and at_ms > ${nowMs - outsideEveryMs}
    limit 1`;
  if (told.length === 0) await appendAudit(tx, nowMs, entry);
}
