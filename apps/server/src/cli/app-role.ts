import postgres from "postgres";
import { appRole } from "../platform/embedded-postgres/endpoint.ts";
import { postgresTarget } from "../postgres-target.ts";

/**
 * The role that serves requests, when the database has it and this login may take it; otherwise
 * undefined, and the login itself serves. With the role, PostgreSQL is a second wall between
 * namespaces, because row-level security does not bind the owner of the tables.
 */
export async function findAppRole(databaseUrl: string): Promise<string | undefined> {
  const { url, options } = postgresTarget(databaseUrl);
  const sql = postgres(url, {
    ...options,
    max: 1,
    prepare: false,
    onnotice: () => {},
    connect_timeout: 10,
    fetch_types: false,
  });
  try {
    const found = await sql`
      select 1 from pg_roles where rolname = ${appRole} and pg_has_role(current_user, oid, 'member')`;
    return found.length > 0 ? appRole : undefined;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
