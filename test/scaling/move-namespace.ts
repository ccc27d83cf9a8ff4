import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import type postgres from "postgres";
import { homePlace, type Directory } from "./directory.ts";

/** What moving needs: the directory, and a superuser's connection to each place. */
export interface Movers {
  readonly directory: Directory;
  readonly admins: ReadonlyMap<string, postgres.Sql>;
  /** Called while writes are held off and all is copied, but not yet compared. */
  readonly onCopied?: (target: postgres.ISql) => Promise<void>;
}

/** Rows of one round trip. */
const pageRows = 500;

/**
 * Moves a namespace while clients sync: holds writes off, copies all rows under the head row's lock
 * to the target, compares count and hash of every table, and only then switches the directory, still
 * under the lock. Where anything fails, the namespace stays where it was. What is left at the source
 * is nobody's; `dropLeftovers` puts it away.
 */
export async function moveNamespace(
  { directory, admins, onCopied = async () => {} }: Movers,
  namespace: NamespaceId,
  target: string,
): Promise<void> {
  const begun = await directory.beginMove(namespace);
  if (begun.place === target) {
    await directory.endMove(namespace, begun, target);
    return;
  }
  try {
    await adminOf(admins, begun.place).begin(async (from) => {
      await from`
        select 1 from tidemark.namespaces where namespace_id = ${namespace} for update`;
      await adminOf(admins, target).begin(async (to) => {
        if (target === homePlace) await keepDeletion(from, to, namespace);
        for (const table of await tenantTables(from))
          await copyTable(from, to, { table, namespace });
        await onCopied(to);
        const [here, there] = [await summary(from, namespace), await summary(to, namespace)];
        if (here !== there) throw new Error("the copy differs");
      });
      if (!(await directory.endMove(namespace, begun, target))) throw new Error("taken over");
    });
  } catch (cause) {
    // Changes nothing where the switch was made before the connection broke.
    await directory.endMove(namespace, begun, begun.place);
    throw cause;
  }
}

/** Deletes what a move left behind at a place; refused where the namespace is, or may be going. */
export async function dropLeftovers(
  { directory, admins }: Movers,
  namespace: NamespaceId,
  place: string,
): Promise<void> {
  await adminOf(admins, place).begin(async (tx) => {
    // A move that comes here replaces this row first, so it waits, or this waits and then sees it.
    await tx`select 1 from tidemark.namespaces where namespace_id = ${namespace} for update`;
    const placement = await directory.placementOf(namespace);
    if (placement.isMoving || placement.place === place) throw new Error("the namespace is here");
    for (const table of await tenantTables(tx)) {
      // At home its row stays: the people's side of it.
      if (place === homePlace && table === "namespaces") continue;
      await tx`delete from ${tx(`tidemark.${table}`)} where namespace_id = ${namespace}`;
    }
  });
}

/** A superuser's connection to a place. */
export function adminOf(admins: ReadonlyMap<string, postgres.Sql>, place: string): postgres.Sql {
  const admin = admins.get(place);
  if (admin === undefined) throw new Error(`there is no place ${place}`);
  return admin;
}

/**
 * Every table whose key begins with the namespace, read from the catalog so that none is forgotten;
 * the head row's comes first. Who is or was a member stays at home with the people.
 */
async function tenantTables(sql: postgres.ISql): Promise<readonly string[]> {
  const rows = await sql<{ table: string }[]>`
    select c.relname as table
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where i.indisprimary and a.attname = 'namespace_id'
      and c.relname not in ('members', 'former_members', 'waiting_members', 'suspects')
      and c.relnamespace = 'tidemark'::regnamespace
    order by c.relname <> 'namespaces', c.relname`;
  return rows.map(({ table }) => table);
}

/** That a namespace was deleted is known at home alone, and is not lost when it comes back. */
async function keepDeletion(
  from: postgres.ISql,
  home: postgres.ISql,
  namespace: NamespaceId,
): Promise<void> {
  const [row] = await home<{ deletedAt: string | null }[]>`
    select deleted_at_ms as "deletedAt" from tidemark.namespaces where namespace_id = ${namespace}`;
  await from`
    update tidemark.namespaces set deleted_at_ms = ${row?.deletedAt ?? null}
    where namespace_id = ${namespace}`;
}

async function copyTable(
  from: postgres.ISql,
  to: postgres.ISql,
  { table, namespace }: { readonly table: string; readonly namespace: NamespaceId },
): Promise<void> {
  const name = `tidemark.${table}`;
  await to`delete from ${to(name)} where namespace_id = ${namespace}`;
  const pages = from<{ row: string }[]>`
    select row_to_json(t)::text as row from ${from(name)} t where namespace_id = ${namespace}`;
  for await (const rows of pages.cursor(pageRows)) {
    const texts = to.array(
      rows.map(({ row }) => row),
      25,
    );
    await to`
      insert into ${to(name)}
      select (json_populate_record(null::${to(name)}, page.row::json)).*
      from unnest(${texts}::text[]) as page (row)`;
  }
}

/** Count and hash of a namespace's rows, table by table. */
async function summary(sql: postgres.ISql, namespace: NamespaceId): Promise<string> {
  const lines: string[] = [];
  for (const table of await tenantTables(sql)) {
    const [row] = await sql<{ line: string }[]>`
      select count(*) || ' ' || coalesce(bit_xor(hashtextextended(t::text, 0)), 0) as line
      from ${sql(`tidemark.${table}`)} t where namespace_id = ${namespace}`;
    lines.push(`${table} ${row?.line ?? ""}`);
  }
  const [sums] = await sql<{ isWhole: boolean }[]>`
    select n.count = r.count and n.digest = r.digest as "isWhole"
    from tidemark.namespaces n, (
      select count(*) as count, coalesce(bit_xor(digest), 0) as digest
      from tidemark.records where namespace_id = ${namespace}
    ) r where n.namespace_id = ${namespace}`;
  if (!(sums?.isWhole ?? false))
    throw new Error("the records do not add up to their head's digest");
  return lines.join("\n");
}
