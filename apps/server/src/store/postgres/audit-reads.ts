import {
  fail,
  newsEvents,
  ok,
  type DeviceId,
  type NamespaceId,
  type UserId,
} from "@tidemark/protocol";
import type { AuditItem, NewsItem } from "@tidemark/protocol/wire";
import {
  compareRow,
  followChain,
  type AuditHead,
  type AuditRow,
  type AuditVerdict,
} from "../audit-chain.ts";
import { auditItem, newsItem, type ShownRow } from "../audit-items.ts";
import {
  namedNews,
  newsMax,
  type AuditPage,
  type AuditQuery,
  type AuditStore,
} from "../audit-port.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { textArrayType } from "./text-array.ts";

/** Rows of the chain that are read at a time. */
const chainRowsMax = 1_000;

/** The reading side of the audit in Postgres. */
export function auditReads(
  door: Door,
): Pick<AuditStore, "audit" | "deviceLog" | "news" | "verifyAudit" | "auditEnd" | "compareAudit"> {
  return {
    audit: (query) => door.withAccounts((tx) => readAudit(tx, query)),
    deviceLog: (query) => door.withAccounts((tx) => readDeviceLog(tx, query)),
    news: (asking) => door.withAccounts((tx) => readNews(tx, asking)),
    verifyAudit: () => verifyChain(door),
    auditEnd: () => door.withAccounts((tx) => readEnd(tx)),
    compareAudit: (known, nowMs) => door.withAccounts((tx) => compareAudit(tx, known, nowMs)),
  };
}

interface Reader {
  readonly user: UserId;
  readonly isOwner: boolean;
  readonly role: string | null;
  readonly pairedAtMs: number;
}

/** Who asks; a machine's device reads no audit. */
async function readerOf(
  tx: Transaction,
  asking: DeviceId,
  namespace?: NamespaceId,
): Promise<Reader | undefined> {
  const [reader] = await tx<Reader[]>`
    select u.id as user, u.is_owner as "isOwner", m.role, d.paired_at_ms as "pairedAtMs"
    from tidemark.devices d
    join tidemark.users u on u.id = d.user_id
    left join tidemark.members m on m.namespace_id = ${namespace ?? null} and m.user_id = u.id
    where d.id = ${asking} and d.status = 'active' and d.kind <> 'ci'`;
  return reader;
}

async function readAudit(
  tx: Transaction,
  query: Parameters<AuditStore["audit"]>[0],
): ReturnType<AuditStore["audit"]> {
  const { asking, namespace } = query;
  const reader = await readerOf(tx, asking, namespace);
  if (namespace === undefined) {
    if (reader?.isOwner !== true) return fail({ kind: "forbidden" });
    return ok(await readPage(tx, query, tx`true`));
  }
  if (reader === undefined || reader.role === null) return fail({ kind: "not-found" });
  if (reader.role !== "admin" && reader.role !== "owner") return fail({ kind: "forbidden" });
  return ok(await readPage(tx, query, tx`a.namespace_id = ${namespace}`));
}

async function readDeviceLog(tx: Transaction, query: AuditQuery): Promise<AuditPage> {
  const reader = await readerOf(tx, query.asking);
  if (reader === undefined) return { items: [], hasMore: false };
  const { user } = reader;
  return await readPage(tx, query, tx`(a.about_user = ${user} or a.actor_user = ${user})`);
}

type Condition = ReturnType<Transaction>;

async function readPage(
  tx: Transaction,
  { before, limit }: AuditQuery,
  which: Condition,
): Promise<AuditPage> {
  const rows = await tx<ShownRow[]>`
    select a.seq, a.at_ms as "atMs", a.event, a.actor_user as "actorUser",
      a.actor_device as "actorDevice", a.about_user as "aboutUser", a.namespace_id as namespace,
      a.target, a.network, a.details, a.hash, u.name as "userName", d.name as "deviceName",
      b.name as "aboutName", n.name as "namespaceName"
    from tidemark.audit a
    left join tidemark.users u on u.id = a.actor_user
    left join tidemark.devices d on d.id = a.actor_device
    left join tidemark.users b on b.id = a.about_user
    left join tidemark.namespaces n on n.namespace_id = a.namespace_id
    where ${which} and a.seq < ${before ?? Number.MAX_SAFE_INTEGER}
    order by a.seq desc limit ${limit + 1}`;
  const items: readonly AuditItem[] = rows.slice(0, limit).map(auditItem);
  return { items, hasMore: rows.length > limit };
}

async function readNews(tx: Transaction, asking: DeviceId): Promise<readonly NewsItem[]> {
  const reader = await readerOf(tx, asking);
  if (reader === undefined) return [];
  const rows = await tx<AuditRow[]>`
    select seq, at_ms as "atMs", event, actor_user as "actorUser", actor_device as "actorDevice",
      about_user as "aboutUser", namespace_id as namespace, target, network, details, hash
    from tidemark.audit
    where about_user = ${reader.user} and at_ms >= ${reader.pairedAtMs}
      and (namespace_id is null
        or event = any(${tx.array([...namedNews], textArrayType)}::text[]))
      and event = any(${tx.array([...newsEvents], textArrayType)}::text[])
    order by seq desc limit ${newsMax}`;
  return rows.map(newsItem);
}

/** By its rows: the head may have been set back alone. */
async function readEnd(tx: Transaction): Promise<AuditHead> {
  const [row] = await tx<AuditHead[]>`
    select seq, hash from tidemark.audit order by seq desc limit 1`;
  return { seq: row?.seq ?? 0, hash: row?.hash ?? "" };
}

async function compareAudit(
  tx: Transaction,
  known: AuditHead,
  nowMs: number,
): Promise<"holds" | "missing" | "other"> {
  const [row] = await tx<{ readonly hash: string }[]>`
    select hash from tidemark.audit where seq = ${known.seq}`;
  const found = compareRow(known, row?.hash);
  if (found === "holds") return found;
  const details = { seq: known.seq, row: found };
  await appendAudit(tx, nowMs, { event: "audit-set-back", details });
  return found;
}

/** Up to where it ended at the start: what is written meanwhile is the next check's. */
async function verifyChain(door: Door): Promise<AuditVerdict> {
  const end = await door.withAccounts(async (tx) => {
    const [found] = await tx<
      AuditHead[]
    >`select seq, hash from tidemark.audit_head where singleton`;
    return found ?? { seq: 0, hash: "" };
  });
  let head: AuditHead = { seq: 0, hash: "" };
  while (head.seq < end.seq) {
    const from = head;
    const rows = await door.withAccounts((tx) => readChain(tx, from, end));
    const followed = followChain(from, rows);
    ({ head } = followed);
    const brokenAt = rows.length === 0 ? from.seq + 1 : followed.brokenAt;
    if (brokenAt !== undefined) return { rows: head.seq, head, brokenAt };
  }
  const isEnd = head.hash === end.hash;
  return isEnd ? { rows: head.seq, head } : { rows: head.seq, head, brokenAt: head.seq + 1 };
}

async function readChain(
  tx: Transaction,
  from: AuditHead,
  end: AuditHead,
): Promise<readonly AuditRow[]> {
  return await tx<AuditRow[]>`
    select seq, at_ms as "atMs", event, actor_user as "actorUser", actor_device as "actorDevice",
      about_user as "aboutUser", namespace_id as namespace, target, network, details, hash
    from tidemark.audit where seq > ${from.seq} and seq <= ${end.seq}
    order by seq limit ${chainRowsMax}`;
}
