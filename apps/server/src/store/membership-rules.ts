import { fail, isAtLeast, ok, type Result, type Role } from "@tidemark/protocol";
import type { MembershipError, WaitingError } from "./accounts-port.ts";

/** What a change of members is judged on, all read in its transaction. */
export interface MembershipFacts {
  /** Undefined where the asking device is revoked or its person no member. */
  readonly actorRole: Role | undefined;
  readonly isSelf: boolean;
  readonly targetRole: Role | undefined;
  readonly owners: number;
}

/**
 * Judges a change of one member's role (NS2, NS3): admins and owners may; what concerns an owner,
 * owners alone; and a namespace never loses its last owner.
 *
 * @param next the new role, or undefined for a removal, which everybody may ask for themselves
 */
export function judgeMembership(
  facts: MembershipFacts,
  next: Role | undefined,
): Result<void, MembershipError> {
  const { actorRole, targetRole } = facts;
  if (actorRole === undefined) return fail({ kind: "not-found" });
  const isLeaving = facts.isSelf && next === undefined;
  if (!isLeaving && !isAtLeast(actorRole, "admin")) return fail({ kind: "forbidden" });
  if (targetRole === undefined) return fail({ kind: "not-found" });
  const concernsOwner = targetRole === "owner" || next === "owner";
  if (concernsOwner && actorRole !== "owner") return fail({ kind: "forbidden" });
  const losesOwner = targetRole === "owner" && next !== "owner";
  if (losesOwner && facts.owners <= 1) return fail({ kind: "last-owner" });
  return ok(undefined);
}

/**
 * Judges a word on somebody who waits (NS24): admins and owners give it, nobody gives a role above
 * their own, and nobody is let in with another role than the one that was shown.
 *
 * @param shown the role to let in with, or undefined to send away
 */
export function judgeWaiting(
  facts: { readonly actorRole: Role | undefined; readonly waitingRole: Role | undefined },
  shown: Role | undefined,
): Result<void, WaitingError> {
  const { actorRole, waitingRole } = facts;
  if (actorRole === undefined) return fail({ kind: "not-found" });
  if (!isAtLeast(actorRole, "admin")) return fail({ kind: "forbidden" });
  if (waitingRole === undefined) return fail({ kind: "not-found" });
  if (shown === undefined) return ok(undefined);
  if (!isAtLeast(actorRole, waitingRole)) return fail({ kind: "forbidden" });
  return shown === waitingRole ? ok(undefined) : fail({ kind: "conflict" });
}
