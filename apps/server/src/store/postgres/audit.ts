import { assertInvariant } from "@tidemark/protocol";
import { nextAuditRow, type AuditEntry, type AuditHead } from "../audit-chain.ts";
import type { Transaction } from "./door.ts";

/**
 * Writes into the audit, in the transaction of what it tells of: both happen or neither (AD2).
 *
 * Call it last. It locks the audit's end until commit, so whoever takes another lock after it may
 * wait for somebody who waits for the audit.
 */
export async function appendAudit(
  tx: Transaction,
  atMs: number,
  ...entries: readonly AuditEntry[]
): Promise<void> {
  if (entries.length === 0) return;
  const [found] = await tx<AuditHead[]>`
    select seq, hash from tidemark.audit_head where singleton for update`;
  assertInvariant(found !== undefined, "the audit has a head");
  let head = await lastRow(tx, found);
  for (const entry of entries) {
    const row = nextAuditRow(head, atMs, entry);
    await tx`
      insert into tidemark.audit (seq, at_ms, event, actor_user, actor_device, about_user,
        namespace_id, target, network, details, hash)
      values (${row.seq}, ${row.atMs}, ${row.event}, ${row.actorUser}, ${row.actorDevice},
        ${row.aboutUser}, ${row.namespace}, ${row.target}, ${row.network}, ${row.details},
        ${row.hash})`;
    head = row;
  }
  await tx`update tidemark.audit_head set seq = ${head.seq}, hash = ${head.hash} where singleton`;
}

/**
 * The later one of what the head tells and what is there: a head that somebody has set back must
 * not stop a device from being shut out. Following the chain still tells of it (AD3).
 */
async function lastRow(tx: Transaction, told: AuditHead): Promise<AuditHead> {
  const [row] = await tx<AuditHead[]>`
    select seq, hash from tidemark.audit order by seq desc limit 1`;
  return row !== undefined && row.seq > told.seq ? row : told;
}
