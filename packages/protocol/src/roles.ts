/** What a member may do in a namespace, weakest first. */
export const roles: readonly Role[] = ["reader", "writer", "admin", "owner"];

/** A member's role in a namespace. */
export type Role = "reader" | "writer" | "admin" | "owner";

/** Whether a role allows at least what another allows (NS1). */
export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
