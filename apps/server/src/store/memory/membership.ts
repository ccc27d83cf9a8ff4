import { fail, ok, type Result, type Role, type UserId } from "@tidemark/protocol";
import type { AccountStore, MembershipActor, MembershipError } from "../accounts-port.ts";
import { judgeMembership } from "../membership-rules.ts";
import type { AccountState } from "./account-state.ts";

/** Who belongs to a namespace, in memory. */
export function membershipMethods(
  state: AccountState,
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
    setRole: async (actor, user, role) => change(state, actor, { user, next: role }),
    removeMember: async (actor, user) => change(state, actor, { user, next: undefined }),
  };
}

function change(
  state: AccountState,
  actor: MembershipActor,
  target: { readonly user: UserId; readonly next: Role | undefined },
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
  if (target.next === undefined) members.delete(target.user);
  else members.set(target.user, target.next);
  return ok(undefined);
}

function activeUser(state: AccountState, actor: MembershipActor): UserId | undefined {
  const device = state.devices.get(actor.device);
  return device?.status === "active" ? device.user : undefined;
}
