import {
  collections,
  isAtLeast,
  isTombstone,
  oldestRegister,
  type RecordState,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { Access } from "../store/port.ts";

/** Whether a member may change records at all (NS5). */
export function mayWrite(access: Access): boolean {
  return isAtLeast(access.role, "writer");
}

/**
 * Whether a member may forget a record (NS6): its author, who is the person behind the writer of
 * its oldest register, and admins and owners. Forgetting a conflict is resolving it, an edit that
 * every writer may make. A record that nobody has yet has no author to ask.
 */
export function mayForget(
  access: Access,
  stored: RecordState | undefined,
  userOf: (writer: WriterId) => UserId | undefined,
): boolean {
  if (stored === undefined || isTombstone(stored)) return true;
  if (isAtLeast(access.role, "admin") || stored.collection === collections.conflict) return true;
  const author = oldestRegister(stored.registers)?.clock.writer;
  return author !== undefined && userOf(author) === access.user;
}
