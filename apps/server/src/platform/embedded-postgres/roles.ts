import { fail, ok } from "@tidemark/protocol";
import postgres from "postgres";
import { postgresTarget } from "../../postgres-target.ts";
import {
  adminRole,
  appRole,
  databaseName,
  type Endpoint,
  endpointUrl,
  ownerRole,
} from "./endpoint.ts";
import type { Attempt } from "./failure.ts";

/**
 * Makes the roles and the database, or does nothing where they exist (PG25).
 *
 * Three roles, as on a database of one's own: the superuser only starts and repairs, the owner
 * migrates, and the app role, which serves requests, owns nothing and is bound by row-level
 * security. The owner may become the app role, so that one connection string suffices.
 */
export async function ensureRoles(endpoint: Endpoint): Promise<Attempt<void>> {
  const { url, options } = postgresTarget(endpointUrl(endpoint, adminRole, "postgres"));
  const sql = postgres(url, {
    ...options,
    max: 1,
    onnotice: () => {},
    connect_timeout: 30,
    fetch_types: false,
  });
  try {
    await ensureRole(sql, ownerRole, endpoint);
    await ensureRole(sql, appRole, endpoint);
    await sql.unsafe(`grant ${appRole} to ${ownerRole} with inherit false, set true`);
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`;
    if (found.length === 0) await sql.unsafe(`create database ${databaseName} owner ${ownerRole}`);
    await sql.unsafe(`revoke all on database ${databaseName} from public`);
    await sql.unsafe(`grant connect on database ${databaseName} to ${appRole}`);
    return ok(undefined);
  } catch (cause) {
    return fail({
      kind: "bootstrap-failed",
      message: `cannot set up the embedded database: ${String(cause)}`,
      hint: "run `serve --log-level debug` to see what PostgreSQL says",
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function ensureRole(sql: postgres.Sql, role: string, endpoint: Endpoint): Promise<void> {
  const found = await sql`select 1 from pg_roles where rolname = ${role}`;
  if (found.length === 0) await sql.unsafe(`create role ${role}`);
  const rights = "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  await sql.unsafe(`alter role ${role} ${rights}`);
  // A generated password is base64url and cannot break out of the quotes.
  if (endpoint.kind === "loopback") {
    await sql.unsafe(`alter role ${role} password '${endpoint.password}'`);
  }
}
