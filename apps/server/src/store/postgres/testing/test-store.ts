import postgres from "postgres";
import { createTestDatabase } from "../../../../../../test/postgres/database.ts";
import { systemTimers } from "../../../platform/timers.ts";
import type { Store } from "../../port.ts";
import { migrate } from "../migrate.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../postgres-store.ts";

/** One migrated database of a test file, and stores on it as the app role. */
export interface TestStores {
  readonly url: string;
  readonly appUrl: string;
  /** Empties the database and opens a store on it. */
  open(clock: { nowMs(): number }): Promise<Store>;
  /** Ends every connection of the app role, as a fail-over does. */
  cutConnections(): Promise<void>;
  /** Gives `usr_owner` so many team namespaces. */
  own(count: number): Promise<void>;
  /** Runs SQL as the superuser. */
  readonly admin: postgres.Sql;
  drop(): Promise<void>;
}

/**
 * Makes and migrates a database.
 *
 * @param through how stores reach it; default: directly, by a login of the app role
 */
export async function createTestStores(
  through: (url: string) => Partial<PostgresStoreOptions> = () => ({}),
): Promise<TestStores> {
  const database = await createTestDatabase();
  await migrate(database.url);
  const admin = postgres(database.url, { max: 1, onnotice: () => {} });
  const opened: Store[] = [];
  return {
    url: database.url,
    appUrl: database.appUrl,
    open: async (clock) => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
      await admin`
        truncate tidemark.records, tidemark.namespaces, tidemark.marks, tidemark.writers,
          tidemark.revisions, tidemark.members, tidemark.users, tidemark.devices, tidemark.links,
          tidemark.signing_keys, tidemark.server, tidemark.setup_secrets, tidemark.pairings,
          tidemark.attempts, tidemark.audit, tidemark.former_members,
          tidemark.waiting_members, tidemark.suspects, tidemark.job_tokens,
          tidemark.membership_log, tidemark.key_wraps,
          tidemark.console_keys, tidemark.identities, tidemark.oidc_flows`;
      await admin`update tidemark.audit_head set seq = 0, hash = ''`;
      const random = { bytes: (count: number) => new Uint8Array(count).fill(128) };
      const store = createPostgresStore({
        url: database.appUrl,
        clock,
        random,
        timers: systemTimers,
        ...through(database.url),
      });
      opened.push(store);
      return store;
    },
    admin,
    own: async (count) => {
      await admin`
        insert into tidemark.namespaces (namespace_id, name, kind, head, mark, lamport, digest,
          count, live_count, live_bytes, created_at_ms)
        select 'ns_own' || n, 'own', 'team', 0, 'mark0', 0, 0, 0, 0, 0, 60
        from generate_series(1, ${count}::int) as n`;
      await admin`
        insert into tidemark.members (namespace_id, user_id, role, joined_at_ms)
        select 'ns_own' || n, 'usr_owner', 'owner', 60 from generate_series(1, ${count}::int) as n`;
    },
    cutConnections: async () => {
      await admin`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
    },
    drop: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await admin.end();
      await database.drop();
    },
  };
}
