import type { AccountStore } from "../accounts-port.ts";
import type { SigningKeyRow } from "../signing-key-row.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./door.ts";

interface Row {
  readonly kid: string;
  readonly jwk: string;
  readonly status: SigningKeyRow["status"];
  readonly createdAtMs: number;
  readonly sealed: string | null;
  readonly master: string | null;
  readonly untilMs: number | null;
}

/** See `AccountStore.signingKeys`. */
export async function readSigningKeys(tx: Transaction): Promise<readonly SigningKeyRow[]> {
  const rows = await tx<Row[]>`
    select kid, jwk, status, created_at_ms as "createdAtMs", sealed, master,
      until_ms as "untilMs"
    from tidemark.signing_keys order by created_at_ms desc, kid`;
  return rows.map(({ sealed, master, untilMs, ...row }) => ({
    ...row,
    sealed: sealed ?? undefined,
    master: master ?? undefined,
    untilMs: untilMs ?? undefined,
  }));
}

/** See `AccountStore.changeSigningKeys`: under the table's lock, which readers do not wait for. */
export async function changeSigningKeys(
  tx: Transaction,
  change: Parameters<AccountStore["changeSigningKeys"]>[0],
  clockMs: number,
): Promise<readonly SigningKeyRow[]> {
  await tx`lock table tidemark.signing_keys in exclusive mode`;
  const before = await readSigningKeys(tx);
  const { rows, entry, nowMs } = change(before);
  const kept = new Set(rows.map(({ kid }) => kid));
  for (const { kid } of before) {
    if (!kept.has(kid)) await tx`delete from tidemark.signing_keys where kid = ${kid}`;
  }
  // One signs and one waits: who gives way does so first.
  for (const status of ["retiring", "active", "signing", "next"] as const) {
    for (const row of rows) if (row.status === status) await saveSigningKey(tx, row);
  }
  if (entry !== undefined) await appendAudit(tx, nowMs ?? clockMs, entry);
  return rows;
}

async function saveSigningKey(tx: Transaction, row: SigningKeyRow): Promise<void> {
  const { kid, jwk, status, createdAtMs, sealed, master, untilMs } = row;
  await tx`
    insert into tidemark.signing_keys
      (kid, jwk, status, created_at_ms, sealed, master, until_ms)
    values (${kid}, ${jwk}, ${status}, ${createdAtMs}, ${sealed ?? null}, ${master ?? null},
      ${untilMs ?? null})
    on conflict (kid) do update set jwk = excluded.jwk, status = excluded.status,
      sealed = excluded.sealed, master = excluded.master, until_ms = excluded.until_ms`;
}
