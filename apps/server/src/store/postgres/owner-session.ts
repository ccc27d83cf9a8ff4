import postgres from "postgres";
import { postgresTarget } from "../../postgres-target.ts";

/** One connection of the owner's, for work that no request waits for: migrating, backup, restore. */
export function ownerSession(url: string): postgres.Sql {
  const target = postgresTarget(url);
  return postgres(target.url, {
    ...target.options,
    max: 1,
    prepare: false,
    onnotice: () => {},
    connect_timeout: 30,
    fetch_types: false,
  });
}

/**
 * Takes off the limits of time that a login or a database may have: they are for requests, and this
 * is work that takes as long as it takes (OPS97). Newer versions have limits that older ones lack.
 */
export async function withoutLimits(tx: postgres.TransactionSql): Promise<void> {
  await tx`
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
}
