import { fail, ok, type Result, type Role } from "@tidemark/protocol";
import type { MembershipError } from "./accounts-port.ts";

/** How long a deleted namespace can be restored, in milliseconds: 30 days (NS22). */
export const deletionGraceMs = 30 * 86_400_000;

/** Judges a deletion (NS22): owners alone, and nobody's personal namespace. */
export function judgeDeletion(
  actorRole: Role | undefined,
  kind: "personal" | "team" | undefined,
): Result<void, MembershipError> {
  if (actorRole === undefined || kind === undefined) return fail({ kind: "not-found" });
  return actorRole === "owner" && kind === "team" ? ok(undefined) : fail({ kind: "forbidden" });
}

/** Whether a namespace that was deleted then may still be restored. */
export function isRestorable(deletedAtMs: number, nowMs: number): boolean {
  return nowMs < deletedAtMs + deletionGraceMs;
}
