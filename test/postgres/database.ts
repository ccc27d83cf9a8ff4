import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's connection string, from the global setup beside this file. */
    postgresUrl: string;
  }
}

/** A database of one test file. */
export interface TestDatabase {
  /** A superuser's connection string, for migrations. */
  readonly url: string;
  /** The same as `tidemark_app`: bound by row-level security, owner of nothing. */
  readonly appUrl: string;
  /** Removes the database, cutting off whoever is connected. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database; call it in `beforeAll` and `drop` in `afterAll`.
 *
 * The roles `tidemark_owner` and `tidemark_app` exist beforehand, as on an embedded server.
 *
 * @param admin a superuser's connection string; default: the server that all test files share
 * @param kind what `create database` is told besides, such as an encoding
 */
export async function createTestDatabase(
  admin = inject("postgresUrl"),
  kind = "",
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withSql(admin, async (sql) => {
    for (const role of ["tidemark_owner", "tidemark_app"]) await ensureRole(sql, role);
    await sql.unsafe(`create database ${name} ${kind}`);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const appUrl = new URL(url);
  // A start-up parameter: the session is the role's from its first statement on.
  appUrl.searchParams.set("role", "tidemark_app");
  return {
    url: url.href,
    appUrl: appUrl.href,
    drop: async () => {
      await withSql(admin, async (sql) => {
        await sql.unsafe(`drop database if exists ${name} with (force)`);
      });
    },
  };
}

async function ensureRole(sql: postgres.Sql, role: string): Promise<void> {
  const found = await sql`select 1 from pg_roles where rolname = ${role}`;
  if (found.length > 0) return;
  // Test files run side by side; another one may have made it meanwhile.
  await sql.unsafe(`create role ${role} login`).catch((cause: unknown) => {
    const code = cause instanceof postgres.PostgresError ? cause.code : "";
    if (code !== "42710" && code !== "23505") throw cause;
  });
}

async function withSql(url: string, run: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await run(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
