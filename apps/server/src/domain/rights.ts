import {
  collections,
  isAtLeast,
  isTombstone,
  type RecordState,
  type UserId,
} from "@tidemark/protocol";
import type { Access } from "../store/port.ts";

/** Whether a member may change records at all (NS5). */
export function mayWrite(access: Access): boolean {
  return isAtLeast(access.role, "writer");
}

/**
 * Whether a member may forget a record (NS6): its author, who is the person that made it, and
 * admins and owners. Forgetting a conflict is resolving it, an edit that every writer may make. A
 * record that nobody has yet has no author to ask.
 */
export function mayForget(
  access: Access,
  stored: RecordState | undefined,
  author: UserId | undefined,
): boolean {
  if (stored === undefined || isTombstone(stored)) return true;
  if (isAtLeast(access.role, "admin") || stored.collection === collections.conflict) return true;
  return author === access.user;
}
