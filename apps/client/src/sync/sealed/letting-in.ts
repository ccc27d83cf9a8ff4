import type { LogState } from "@tidemark/protocol";
import type { AccessError, Done } from "../access/access-error.ts";
import type { DeviceKeys } from "./device-statement.ts";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { addEntry } from "./log-growth.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { needsAdminDevice, noKey } from "./refusals.ts";
import type { Taken } from "./taken-keys.ts";

/** A believed log, and the keys of its namespace. */
export interface OpenLog {
  readonly log: LogState;
  readonly held: Opened;
}

/**
 * Lets a device in and hands it the keys. A person's own devices come in with the right of this one;
 * others' hand no keys to others.
 */
export async function letIn(
  parts: SealedParts,
  { log, held }: OpenLog,
  keys: DeviceKeys,
  signal: AbortSignal,
): Done<Taken> {
  const { self } = parts;
  const role = keys.user === self.keys.user && isAdmin(log, self) ? "admin" : "member";
  const wraps = await wrapsFor(self, log.namespace, { keys: epochKeysOf(held), to: [keys] });
  const entry = { by: self, said: { kind: "admit", keys, role }, wraps } as const;
  return await addEntry(parts, log, entry, signal);
}

/** Why a device may begin no epoch; undefined where it may (EE15, EE24). */
export function whyNoEpoch({ devices }: LogState, { keys }: Holder): AccessError | undefined {
  const own = devices.get(keys.device);
  if (own === undefined || own.isRemoved) return noKey;
  return own.role === "admin" ? undefined : needsAdminDevice;
}

/** Whether a log has a device in as one that may let others in and shut them out. */
export function isAdmin(log: LogState, { keys }: Holder): boolean {
  const own = log.devices.get(keys.device);
  return own?.role === "admin" && !own.isRemoved;
}
