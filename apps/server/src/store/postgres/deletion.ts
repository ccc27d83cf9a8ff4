import {
  fail,
  ok,
  type NamespaceId,
  type Result,
  type Role,
  type UserId,
} from "@tidemark/protocol";
import type { DeletedNamespace, NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, MembershipActor, MembershipError } from "../accounts-port.ts";
import { deletionEntry } from "../audit-entries.ts";
import { deletionGraceMs, isRestorable, judgeDeletion } from "../deletion-rules.ts";
import { appendAudit } from "./audit.ts";
import type { Door, Transaction } from "./door.ts";
import { activeUser } from "./membership.ts";

type DeletionMethods = Pick<
  AccountStore,
  "deleteNamespace" | "restoreNamespace" | "deletedNamespaces"
>;

/** Deleting a namespace and bringing it back, in Postgres. */
export function deletionMethods(door: Door, clock: { nowMs(): number }): DeletionMethods {
  return {
    deleteNamespace: (actor) =>
      door.withAccounts((tx) => deleteNamespace(tx, actor, clock.nowMs())),
    restoreNamespace: (actor) =>
      door.withAccounts((tx) => restoreNamespace(tx, actor, clock.nowMs())),
    deletedNamespaces: (asking) =>
      door.withAccounts((tx) => readDeleted(tx, asking, clock.nowMs())),
  };
}

interface LockedNamespace {
  readonly name: string;
  readonly kind: "personal" | "team";
  readonly head: number;
  readonly deletedAtMs: number | null;
}

/** The lock of pushes: what is under way is stored before, and what comes later finds nobody. */
async function lockNamespace(
  tx: Transaction,
  namespace: NamespaceId,
): Promise<LockedNamespace | undefined> {
  const [row] = await tx<LockedNamespace[]>`
    select name, kind, head, deleted_at_ms as "deletedAtMs"
    from tidemark.namespaces where namespace_id = ${namespace} for update`;
  return row;
}

async function deleteNamespace(
  tx: Transaction,
  actor: MembershipActor,
  nowMs: number,
): Promise<Result<DeletedNamespace, MembershipError>> {
  const { namespace: id, device, network } = actor;
  const found = await lockNamespace(tx, id);
  const user = await activeUser(tx, actor);
  const [member] = await tx<{ readonly role: Role }[]>`
    select role from tidemark.members
    where namespace_id = ${id} and user_id = ${user ?? null}`;
  const verdict = judgeDeletion(member?.role, found?.kind);
  if (!verdict.ok) return verdict;
  if (found === undefined || user === undefined) return fail({ kind: "not-found" });
  await tx`
    insert into tidemark.former_members (namespace_id, user_id, role, joined_at_ms)
    select namespace_id, user_id, role, joined_at_ms from tidemark.members
    where namespace_id = ${id}`;
  await tx`delete from tidemark.members where namespace_id = ${id}`;
  await tx`
    update tidemark.namespaces set deleted_at_ms = ${nowMs} where namespace_id = ${id}`;
  const deleted = { id, name: found.name, deletedAt: nowMs, purgeAt: nowMs + deletionGraceMs };
  const told = { id, name: found.name, until: deleted.purgeAt };
  await appendAudit(tx, nowMs, deletionEntry("namespace-deleted", { user, device, network }, told));
  return ok(deleted);
}

async function restoreNamespace(
  tx: Transaction,
  actor: MembershipActor,
  nowMs: number,
): Promise<Result<NamespaceInfo, MembershipError>> {
  const { namespace: id, device, network } = actor;
  const found = await lockNamespace(tx, id);
  const user = await activeUser(tx, actor);
  const former = await tx<{ readonly user: UserId; readonly role: Role }[]>`
    select user_id as user, role from tidemark.former_members where namespace_id = ${id}`;
  const isOwner = former.some((member) => member.user === user && member.role === "owner");
  if (found === undefined || user === undefined || !isOwner) return fail({ kind: "not-found" });
  const { name, kind, head, deletedAtMs } = found;
  if (deletedAtMs === null || !isRestorable(deletedAtMs, nowMs)) return fail({ kind: "not-found" });
  await tx`
    insert into tidemark.members (namespace_id, user_id, role, joined_at_ms)
    select namespace_id, user_id, role, joined_at_ms from tidemark.former_members
    where namespace_id = ${id}`;
  await tx`delete from tidemark.former_members where namespace_id = ${id}`;
  await tx`update tidemark.namespaces set deleted_at_ms = null where namespace_id = ${id}`;
  const told = { id, name, until: 0 };
  await appendAudit(
    tx,
    nowMs,
    deletionEntry("namespace-restored", { user, device, network }, told),
  );
  return ok({ id, name, kind, role: "owner", head });
}

interface DeletedRow {
  readonly id: NamespaceId;
  readonly name: string;
  readonly deletedAt: number;
}

async function readDeleted(
  tx: Transaction,
  asking: MembershipActor["device"],
  nowMs: number,
): Promise<readonly DeletedNamespace[]> {
  const rows = await tx<DeletedRow[]>`
    select n.namespace_id as id, n.name, n.deleted_at_ms as "deletedAt"
    from tidemark.devices d
    join tidemark.former_members m on m.user_id = d.user_id and m.role = 'owner'
    join tidemark.namespaces n on n.namespace_id = m.namespace_id
    where d.id = ${asking} and d.status = 'active' and n.deleted_at_ms is not null
    order by n.deleted_at_ms, n.namespace_id`;
  return rows
    .filter(({ deletedAt }) => isRestorable(deletedAt, nowMs))
    .map((row) => ({ ...row, purgeAt: row.deletedAt + deletionGraceMs }));
}

/** See `Store.expiredNamespaces`. */
export async function readExpired(
  tx: Transaction,
  countMax: number,
  nowMs: number,
): Promise<readonly NamespaceId[]> {
  const rows = await tx<{ readonly id: NamespaceId }[]>`
    select namespace_id as id from tidemark.namespaces
    where deleted_at_ms <= ${nowMs - deletionGraceMs}
    order by deleted_at_ms, namespace_id limit ${countMax}`;
  return rows.map(({ id }) => id);
}

/** See `Store.purgeNamespace`; the transaction is the namespace's own, behind its wall. */
export async function purge(
  tx: Transaction,
  given: { readonly namespace: NamespaceId; readonly rowsMax: number; readonly nowMs: number },
): Promise<boolean> {
  const { namespace, rowsMax, nowMs } = given;
  const found = await lockNamespace(tx, namespace);
  if (found === undefined) return true;
  const { name, deletedAtMs } = found;
  if (deletedAtMs === null || isRestorable(deletedAtMs, nowMs)) return false;
  // First of all: to a server whose clock is behind, what is purged in part is nobody's to restore.
  await tx`delete from tidemark.former_members where namespace_id = ${namespace}`;
  if (await purgeRows(tx, namespace, rowsMax)) return false;
  await tx`
    update tidemark.devices set status = 'revoked'
    where only_namespace_id = ${namespace} and status <> 'revoked'`;
  await tx`delete from tidemark.links where namespace_id = ${namespace}`;
  await tx`delete from tidemark.members where namespace_id = ${namespace}`;
  await tx`delete from tidemark.waiting_members where namespace_id = ${namespace}`;
  await tx`delete from tidemark.suspects where namespace_id = ${namespace}`;
  await tx`delete from tidemark.membership_log where namespace_id = ${namespace}`;
  await tx`delete from tidemark.key_wraps where namespace_id = ${namespace}`;
  await tx`delete from tidemark.namespaces where namespace_id = ${namespace}`;
  const told = { id: namespace, name, until: 0 };
  await appendAudit(tx, nowMs, deletionEntry("namespace-purged", undefined, told));
  return true;
}

/** Whether there were any rows; each statement is bounded, for millions would hold the lock long. */
async function purgeRows(tx: Transaction, namespace: string, rowsMax: number): Promise<boolean> {
  const gone = [
    await tx`
      delete from tidemark.records where namespace_id = ${namespace} and id in (
        select id from tidemark.records where namespace_id = ${namespace} limit ${rowsMax})`,
    await tx`
      delete from tidemark.revisions where namespace_id = ${namespace}
        and (record_id, field, lamport, writer, hash) in (
          select record_id, field, lamport, writer, hash from tidemark.revisions
          where namespace_id = ${namespace} limit ${rowsMax})`,
    await tx`
      delete from tidemark.marks where namespace_id = ${namespace} and head in (
        select head from tidemark.marks where namespace_id = ${namespace} limit ${rowsMax})`,
    await tx`
      delete from tidemark.writers where namespace_id = ${namespace} and writer in (
        select writer from tidemark.writers where namespace_id = ${namespace} limit ${rowsMax})`,
  ];
  return gone.some(({ count }) => count > 0);
}
