import type { LogRole, LogState } from "@tidemark/protocol";
import type { AccessError, Done } from "../access/access-error.ts";
import type { DeviceKeys } from "./device-statement.ts";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { addEntry } from "./log-growth.ts";
import { membersOf } from "./next-epoch.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import { needsAdminDevice, notIn } from "./refusals.ts";
import type { Taken } from "./taken-keys.ts";

/** A believed log, and the keys of its namespace. */
export interface OpenLog {
  readonly log: LogState;
  readonly held: Opened;
}

/** Lets a device in and hands it the keys. */
export async function letIn(
  parts: SealedParts,
  { log, held }: OpenLog,
  keys: DeviceKeys,
  signal: AbortSignal,
): Done<Taken> {
  const { self } = parts;
  const role = roleFor(log, self, keys.user);
  const wraps = await wrapsFor(self, log.namespace, { keys: epochKeysOf(held), to: [keys] });
  const entry = { by: self, said: { kind: "admit", keys, role }, wraps } as const;
  return await addEntry(parts, log, entry, signal);
}

/**
 * The right that a device comes in with: of an admin's person it may let others in, where an admin's
 * device says so (EE25).
 */
export function roleFor(log: LogState, self: Holder, user: string): LogRole {
  return isAdmin(log, self) ? (peopleOf(log).get(user) ?? "member") : "member";
}

/** Whose devices are in; an admin is who has one that may let others in. */
export function peopleOf(log: LogState): ReadonlyMap<string, LogRole> {
  const people = new Map<string, LogRole>();
  for (const { device, user, role } of membersOf(log)) {
    if (!isRecovery(device) && people.get(user) !== "admin") people.set(user, role);
  }
  return people;
}

/** Why a device may begin no epoch; undefined where it may (EE15, EE24). */
export function whyNoEpoch({ devices }: LogState, { keys }: Holder): AccessError | undefined {
  const own = devices.get(keys.device);
  if (own === undefined || own.isRemoved) return notIn;
  return own.role === "admin" ? undefined : needsAdminDevice;
}

/** Whether a log has a device in as one that may let others in and shut them out. */
export function isAdmin(log: LogState, { keys }: Holder): boolean {
  const own = log.devices.get(keys.device);
  return own?.role === "admin" && !own.isRemoved;
}
