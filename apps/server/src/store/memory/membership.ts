import { fail, ok, type Result, type Role, type UserId } from "@tidemark/protocol";
import type { AccountStore, MembershipActor, MembershipError } from "../accounts-port.ts";
import { memberEntry } from "../audit-entries.ts";
import { judgeMembership } from "../membership-rules.ts";
import type { AccountState } from "./account-state.ts";
import { appendAudit } from "./audit.ts";

/** Who belongs to a namespace, in memory. */
export function membershipMethods(
  state: AccountState,
  clock: { nowMs(): number },
): Pick<AccountStore, "members" | "setRole" | "removeMember"> {
  return {
    members: async (actor) => {
      const members = state.namespaces.get(actor.namespace)?.members;
      const user = activeUser(state, actor);
      if (members === undefined || user === undefined || !members.has(user)) {
        return fail({ kind: "not-found" });
      }
      return ok(
        [...members].map(([id, role]) => ({
          user: { id, name: state.users.get(id)?.name ?? "" },
          role,
        })),
      );
    },
    setRole: async (actor, user, role) =>
      change(state, actor, { user, next: role, nowMs: clock.nowMs() }),
    removeMember: async (actor, user) =>
      change(state, actor, { user, next: undefined, nowMs: clock.nowMs() }),
  };
}

function change(
  state: AccountState,
  actor: MembershipActor,
  target: { readonly user: UserId; readonly next: Role | undefined; readonly nowMs: number },
): Result<void, MembershipError> {
  const members = state.namespaces.get(actor.namespace)?.members ?? new Map<UserId, Role>();
  const asking = activeUser(state, actor);
  const verdict = judgeMembership(
    {
      actorRole: asking === undefined ? undefined : members.get(asking),
      isSelf: asking === target.user,
      targetRole: members.get(target.user),
      owners: [...members.values()].filter((role) => role === "owner").length,
    },
    target.next,
  );
  if (!verdict.ok) return verdict;
  const { user: id, next, nowMs } = target;
  const before = members.get(id);
  if (next === undefined) {
    members.delete(id);
    state.namespaces.get(actor.namespace)?.waiting.delete(id);
  } else if (before !== undefined) members.set(id, next);
  if (asking === undefined || before === undefined || before === next) return ok(undefined);
  const { device, network, namespace } = actor;
  const member = { id, name: state.users.get(id)?.name ?? "", role: before };
  const by = { user: asking, device, network, namespace };
  appendAudit(state, nowMs, memberEntry(by, member, next));
  return ok(undefined);
}

/** Whose active device asks, where it may ask about this namespace at all. */
export function activeUser(state: AccountState, actor: MembershipActor): UserId | undefined {
  const device = state.devices.get(actor.device);
  if (device?.status !== "active") return undefined;
  const isElsewhere = device.only !== undefined && device.only.namespace !== actor.namespace;
  return isElsewhere ? undefined : device.user;
}
