import type postgres from "postgres";
import type { SentStatement } from "./statement-spy.ts";

/** Why a statement, or the schema, could not be routed by `namespace_id` alone. */
export interface RoutingFault {
  readonly what: string;
  readonly why: string;
}

/** Tables about people and the server itself: small, and copied to each shard as they are. */
const sharedTables: ReadonlySet<string> = new Set([
  "attempts",
  "audit",
  "audit_head",
  "console_keys",
  "devices",
  "identities",
  "job_tokens",
  "links",
  "migrations",
  "oidc_flows",
  "pairings",
  "server",
  "setup_secrets",
  "signing_keys",
  "users",
]);

/** What in the schema ties namespaces together, or an engine of many machines does not have. */
export async function schemaFaults(admin: postgres.ISql): Promise<readonly RoutingFault[]> {
  return (
    await Promise.all([keyFaults(admin), foreignKeyFaults(admin), extraFaults(admin)])
  ).flat();
}

async function keyFaults(admin: postgres.ISql): Promise<readonly RoutingFault[]> {
  const rows = await admin<{ table: string; index: string | null; first: string | null }[]>`
    select c.relname as table, i.indexrelid::regclass::text as index, a.attname as first
    from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisunique
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where c.relkind in ('r', 'p') and c.relnamespace = 'tidemark'::regnamespace`;
  return rows
    .filter(({ table, first }) => !sharedTables.has(table) && first !== "namespace_id")
    .map(({ table, index, first }) => ({
      what: index ?? table,
      why: `unique by ${first ?? "nothing"} first, not by namespace_id`,
    }));
}

async function foreignKeyFaults(admin: postgres.ISql): Promise<readonly RoutingFault[]> {
  const rows = await admin<{ name: string; from: string; to: string; isPaired: boolean }[]>`
    select k.conname as name, f.relname as from, t.relname as to,
      coalesce(bool_or(x.attname = 'namespace_id' and y.attname = 'namespace_id'), false)
        as "isPaired"
    from pg_constraint k
    join pg_class f on f.oid = k.conrelid
    join pg_class t on t.oid = k.confrelid
    cross join unnest(k.conkey, k.confkey) as pair (own, other)
    join pg_attribute x on x.attrelid = f.oid and x.attnum = pair.own
    join pg_attribute y on y.attrelid = t.oid and y.attnum = pair.other
    where k.contype = 'f' and f.relnamespace = 'tidemark'::regnamespace
    group by 1, 2, 3`;
  return rows
    .filter(({ from, to, isPaired }) => {
      if (sharedTables.has(from) && sharedTables.has(to)) return false;
      return sharedTables.has(to) || sharedTables.has(from) || !isPaired;
    })
    .map(({ name }) => ({ what: name, why: "a foreign key that leaves its namespace" }));
}

async function extraFaults(admin: postgres.ISql): Promise<readonly RoutingFault[]> {
  return await admin<RoutingFault[]>`
    select relname as what, 'a sequence' as why from pg_class
    where relkind = 'S' and relnamespace = 'tidemark'::regnamespace
    union all
    select t.tgname, 'a trigger' from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'tidemark'::regnamespace and not t.tgisinternal`;
}

/** One transaction on a namespace, without what opens and ends it. */
export interface SentTransaction {
  /** The namespace that row-level security was told; empty for people, devices, links and keys. */
  readonly namespace: string;
  readonly statements: readonly SentStatement[];
}

const opens = /^\s*begin\b/i;
const ends = /^\s*(?:commit|rollback|end)\b/i;
const setsNamespace = /set_config\('tidemark\.namespace_id',/;

/** Puts what many connections sent together again, and finds what ran outside of any door. */
export function transactionsOf(sent: readonly SentStatement[]): {
  readonly transactions: readonly SentTransaction[];
  readonly faults: readonly RoutingFault[];
} {
  const transactions: SentTransaction[] = [];
  const faults: RoutingFault[] = [];
  const open = new Map<number, SentStatement[]>();
  for (const statement of sent) {
    const { connection, text } = statement;
    const statements = open.get(connection);
    if (opens.test(text)) open.set(connection, []);
    else if (statements === undefined && /\btidemark\./.test(text)) {
      faults.push({ what: text, why: "outside of a transaction" });
    } else if (ends.test(text)) {
      open.delete(connection);
      const [first, ...rest] = statements ?? [];
      if (first === undefined) continue;
      const [namespace = ""] = first.parameters;
      if (!setsNamespace.test(first.text))
        faults.push({ what: first.text, why: "no namespace set" });
      // Making a namespace belongs to the people's side, and sets it on the way.
      if (namespace !== "" && rest.some(({ text }) => setsNamespace.test(text))) {
        faults.push({ what: first.text, why: "two namespaces set in one transaction" });
      }
      transactions.push({ namespace: namespace ?? "", statements: rest });
    } else statements?.push(statement);
  }
  return { transactions, faults };
}

const clever = /advisory|nextval|\bnotify\b|pg_current_(?:xact|snapshot)|\btxid_|\blisten\b/i;

/**
 * Asks the planner, as a superuser whom row-level security adds no condition for, which tables each
 * statement reads and writes: every one of a tenant must be bound to the transaction's namespace by
 * the statement's own words.
 */
export async function statementFaults(
  admin: postgres.ISql,
  transactions: readonly SentTransaction[],
): Promise<{ readonly faults: readonly RoutingFault[]; readonly touched: ReadonlySet<string> }> {
  const faults: RoutingFault[] = [];
  const touched = new Set<string>();
  for (const { namespace, text, parameters } of toJudge(transactions)) {
    if (clever.test(text)) faults.push({ what: text, why: "does not run on every engine" });
    for (const node of await planOf(admin, text, parameters)) {
      const table = node["Relation Name"];
      if (table === undefined || sharedTables.has(table)) continue;
      touched.add(`${node.Operation?.toLowerCase() ?? "read"} ${table}`);
      if (!isBound(node, namespace)) faults.push({ what: text, why: `${table} is not bound` });
    }
  }
  return { faults, touched };
}

type Judged = Pick<SentStatement, "text" | "parameters"> & { readonly namespace: string };

/** Statements on namespaces; the same words with the namespace in the same places come once. */
function toJudge(transactions: readonly SentTransaction[]): Iterable<Judged> {
  const judged = new Map<string, Judged>();
  for (const { namespace, statements } of transactions) {
    if (namespace === "") continue;
    for (const { text, parameters } of statements) {
      const key = `${parameters.map((value) => Number(value === namespace)).join("")} ${text}`;
      judged.set(key, { namespace, text, parameters });
    }
  }
  return judged.values();
}

async function planOf(
  admin: postgres.ISql,
  text: string,
  parameters: readonly (string | null)[],
): Promise<readonly PlanNode[]> {
  const [row] = await admin.unsafe<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }[]>(
    `explain (verbose, costs off, format json) ${text}`,
    [...parameters],
  );
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (plan === undefined) throw new Error("a plan is missing");
  return nodesOf(plan);
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Alias?: string;
  readonly Operation?: string;
  readonly Output?: readonly string[];
  readonly "Index Cond"?: string;
  readonly "Recheck Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function isBound(node: PlanNode, namespace: string): boolean {
  const literal = `'${namespace}'::text`;
  if (node.Operation === "Insert") {
    // The namespace is the first column of every table of a tenant.
    return node.Plans?.every(({ Output }) => Output?.[0] === literal) ?? false;
  }
  // What is updated or deleted was read by the node below.
  if (node.Operation !== undefined) return true;
  const conditions = [node["Index Cond"], node["Recheck Cond"], node.Filter].join(" AND ");
  return new RegExp(String.raw`(?<![\w.])${node.Alias ?? ""}\.namespace_id = ${literal}`).test(
    // A disjunction binds nothing.
    conditions.includes(" OR ") ? "" : conditions,
  );
}
