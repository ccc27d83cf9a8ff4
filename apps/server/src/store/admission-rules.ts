import { isAtLeast, limits, type Role, type UserId } from "@tidemark/protocol";
import type { LinkRow } from "./accounts-port.ts";

/** Setup secrets that open the server at once (AU1); whoever prints more loses the oldest. */
export const setupSecretsMax = 8;

/** Links of one person that open at one moment; whoever wants more ends some first (PR10). */
export const openLinksMax = 50;
/** Devices of one person that are not revoked, machines among them (PR8). */
export const activeDevicesMax = 1_000;
/** Devices of a person that are listed though they are out: jobs leave a machine behind each (PR29). */
export const listedOutMax = 200;

/**
 * Whether somebody may come into one more namespace (NS28): a device takes no `hello` that lists
 * more, and what is cut off there no device of theirs would ever see.
 *
 * @param places the namespaces that they are in, wait for, or were in until it was deleted: an
 *   admin's word or an owner's restoring makes them members there without asking them again
 */
export function isRoomForPlace(places: number): boolean {
  return places < limits.namespacesMax;
}

/** What is true, at this moment, of the person who made a link. */
export interface LinkMaker {
  readonly isDeviceActive: boolean;
  /** Their role in the link's namespace, where it names one. */
  readonly role: Role | undefined;
}

/**
 * Whether a link that was not used up still opens (NS4). It dies with its maker's device, an invite
 * with its maker's right to invite, or a removed admin could come back through it, a link for machines
 * with the role that it gives, and one for jobs as an invite does.
 */
export function isLinkAlive(
  link: Pick<LinkRow, "kind" | "authHash" | "expiresAtMs" | "namespace" | "role" | "job">,
  input: { readonly authHash: string; readonly nowMs: number },
  maker: LinkMaker,
): boolean {
  if (link.authHash !== input.authHash || link.expiresAtMs <= input.nowMs) return false;
  if (!maker.isDeviceActive) return false;
  if (link.kind === "device") return true;
  if (link.namespace === undefined || maker.role === undefined) return false;
  const isForAdmins = link.kind === "invite" || link.job !== undefined;
  if (isForAdmins && !isAtLeast(maker.role, "admin")) return false;
  return isAtLeast(maker.role, link.role ?? "reader");
}

/** What a device may do that is bound to a role of its own: never more than its person (PR8). */
export function lowerRole(held: Role, most: Role | undefined): Role {
  return most !== undefined && isAtLeast(held, most) ? most : held;
}

/**
 * Whether who opened an invite waits for an admin's word (NS24). An invite for a person of the
 * server, named by id, takes that very person at once: a name anybody may give themselves, an id
 * comes with a key. Who has the role already waits for nothing.
 */
export function waitsForWord(
  link: Pick<LinkRow, "confirm" | "madeFor" | "role">,
  opener: { readonly user: UserId; readonly held: Role | undefined },
): boolean {
  const { confirm = false, madeFor, role = "reader" } = link;
  if (!confirm || madeFor === opener.user) return false;
  return opener.held === undefined || !isAtLeast(opener.held, role);
}

/** The role of a person who accepts an invite: it never takes rights away. */
export function higherRole(held: Role | undefined, given: Role): Role {
  return held !== undefined && isAtLeast(held, given) ? held : given;
}
