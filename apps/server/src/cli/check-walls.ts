import postgres from "postgres";
import { postgresTarget } from "../postgres-target.ts";
import { UserError } from "./user-error.ts";

/** Tables that hold what is in namespaces. */
const walled = ["key_wraps", "marks", "membership_log", "records", "revisions", "writers"] as const;

/** Tables that the serving role may add to and not rewrite; their owner, who migrates, may. */
const kept = ["audit", "audit_head"] as const;

interface Facts {
  readonly name: string;
  readonly isAbove: boolean;
  readonly open: string;
}

/**
 * Refuses to serve where the second wall between namespaces was taken down (PG36): on a table
 * without forced row-level security, or as an app role that passes it. The audit's is not forced,
 * and has to be on.
 *
 * @returns whether the wall binds: not for a login that serves itself and is above it, which is
 *   how a database without the app role is used
 */
export async function checkWalls(databaseUrl: string, role: string | undefined): Promise<boolean> {
  const { name, isAbove, open } = await readFacts(databaseUrl, role);
  if (open !== "") {
    const [first = ""] = open.split(",");
    throw new UserError({
      code: "walls-down",
      message: `row-level security is off or not forced on ${open}`,
      hint: `as the tables' owner: alter table tidemark.${first} ${remedyFor(first)}`,
    });
  }
  if (isAbove && role !== undefined) {
    throw new UserError({
      code: "walls-down",
      message: `the role ${name} that serves requests passes row-level security`,
      hint: `as a superuser: alter role ${name} nosuperuser nobypassrls`,
    });
  }
  return !isAbove;
}

function remedyFor(table: string): string {
  const isKept = kept.some((name) => name === table);
  return isKept
    ? "enable row level security"
    : "enable row level security, force row level security";
}

async function readFacts(databaseUrl: string, role: string | undefined): Promise<Facts> {
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
    const [facts] = await sql<Facts[]>`
      select rolname as name, rolsuper or rolbypassrls as "isAbove", (
        select coalesce(string_agg(relname, ',' order by relname), '') from pg_class
        where relnamespace = 'tidemark'::regnamespace
          and (
            relname = any(string_to_array(${walled.join(",")}, ','))
              and not (relrowsecurity and relforcerowsecurity)
            or relname = any(string_to_array(${kept.join(",")}, ',')) and not relrowsecurity
          )
      ) as open
      from pg_roles where rolname = coalesce(${role ?? null}, current_user)`;
    if (facts === undefined) throw new Error("the role that serves is not there");
    return facts;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
