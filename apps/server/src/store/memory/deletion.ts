import { fail, ok, type DeviceId, type NamespaceId, type Result } from "@tidemark/protocol";
import type { DeletedNamespace, NamespaceInfo } from "@tidemark/protocol/wire";
import type { AccountStore, MembershipActor, MembershipError } from "../accounts-port.ts";
import { deletionEntry } from "../audit-entries.ts";
import { deletionGraceMs, isRestorable, judgeDeletion } from "../deletion-rules.ts";
import type { AccountState } from "./account-state.ts";
import { appendAudit } from "./audit.ts";
import { activeUser } from "./membership.ts";
import type { NamespaceState } from "./namespace-state.ts";

type DeletionMethods = Pick<
  AccountStore,
  "deleteNamespace" | "restoreNamespace" | "deletedNamespaces"
>;

/** Deleting a namespace and bringing it back, in memory. */
export function deletionMethods(state: AccountState, clock: { nowMs(): number }): DeletionMethods {
  return {
    deleteNamespace: async (actor) => deleteNamespace(state, actor, clock.nowMs()),
    restoreNamespace: async (actor) => restoreNamespace(state, actor, clock.nowMs()),
    deletedNamespaces: async (asking) => deletedFor(state, asking, clock.nowMs()),
  };
}

function deleteNamespace(
  state: AccountState,
  actor: MembershipActor,
  nowMs: number,
): Result<DeletedNamespace, MembershipError> {
  const { namespace: id, device, network } = actor;
  const found = state.namespaces.get(id);
  const user = activeUser(state, actor);
  const role = user === undefined ? undefined : found?.members.get(user);
  const verdict = judgeDeletion(role, found?.kind);
  if (!verdict.ok) return verdict;
  if (found === undefined || user === undefined) return fail({ kind: "not-found" });
  found.deleted = { atMs: nowMs, members: new Map(found.members) };
  found.members.clear();
  const deleted = infoOf(found, nowMs);
  const told = { id, name: found.name, until: deleted.purgeAt };
  appendAudit(state, nowMs, deletionEntry("namespace-deleted", { user, device, network }, told));
  return ok(deleted);
}

function restoreNamespace(
  state: AccountState,
  actor: MembershipActor,
  nowMs: number,
): Result<NamespaceInfo, MembershipError> {
  const { namespace: id, device, network } = actor;
  const found = state.namespaces.get(id);
  const user = activeUser(state, actor);
  const deleted = found?.deleted;
  const isOwner = user !== undefined && deleted?.members.get(user) === "owner";
  if (found === undefined || deleted === undefined || !isOwner) return fail({ kind: "not-found" });
  if (!isRestorable(deleted.atMs, nowMs)) return fail({ kind: "not-found" });
  for (const [member, role] of deleted.members) found.members.set(member, role);
  found.deleted = undefined;
  const { name, kind, head } = found;
  const told = { id, name, until: 0 };
  appendAudit(state, nowMs, deletionEntry("namespace-restored", { user, device, network }, told));
  return ok({ id, name, kind, role: "owner", head: head.head });
}

function deletedFor(
  state: AccountState,
  asking: DeviceId,
  nowMs: number,
): readonly DeletedNamespace[] {
  const device = state.devices.get(asking);
  if (device?.status !== "active" || device.only !== undefined) return [];
  return [...state.namespaces.values()]
    .flatMap((namespace) => {
      const { deleted } = namespace;
      const isTheirs = deleted?.members.get(device.user) === "owner";
      return deleted !== undefined && isTheirs && isRestorable(deleted.atMs, nowMs)
        ? [infoOf(namespace, deleted.atMs)]
        : [];
    })
    .toSorted((left, right) => left.deletedAt - right.deletedAt);
}

function infoOf({ id, name }: NamespaceState, deletedAt: number): DeletedNamespace {
  return { id, name, deletedAt, purgeAt: deletedAt + deletionGraceMs };
}

/** See `Store.expiredNamespaces`. */
export function expiredIn(
  state: AccountState,
  countMax: number,
  nowMs: number,
): readonly NamespaceId[] {
  return [...state.namespaces.values()]
    .filter(({ deleted }) => deleted !== undefined && !isRestorable(deleted.atMs, nowMs))
    .toSorted((left, right) => (left.deleted?.atMs ?? 0) - (right.deleted?.atMs ?? 0))
    .slice(0, countMax)
    .map(({ id }) => id);
}

/** See `Store.purgeNamespace`; memory has no reason to do it in parts. */
export function purge(state: AccountState, namespace: NamespaceId, nowMs: number): boolean {
  const found = state.namespaces.get(namespace);
  if (found === undefined) return true;
  const { deleted, name } = found;
  if (deleted === undefined || isRestorable(deleted.atMs, nowMs)) return false;
  for (const [id, device] of state.devices) {
    if (device.only?.namespace !== namespace) continue;
    state.devices.set(id, { ...device, status: "revoked" });
  }
  for (const [id, link] of state.links) if (link.namespace === namespace) state.links.delete(id);
  state.namespaces.delete(namespace);
  const told = { id: namespace, name, until: 0 };
  appendAudit(state, nowMs, deletionEntry("namespace-purged", undefined, told));
  return true;
}
