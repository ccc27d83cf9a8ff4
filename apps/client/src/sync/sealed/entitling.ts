import { fail, ok, type LogRole, type NamespaceId } from "@tidemark/protocol";
import type { Done } from "../access/access-error.ts";
import { isAdmin } from "./letting-in.ts";
import { signEntries } from "./log-entries.ts";
import { change, readStanding } from "./log-growth.ts";
import { membersOf } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";
import { needsEntitledDevice } from "./refusals.ts";

/** Which person's devices get which right. */
export interface Entitlement {
  readonly user: string;
  readonly role: LogRole;
}

/** What became of it. */
export interface Entitled {
  /** How many of the person's devices are in. */
  readonly devices: number;
  /** Of how many the right was changed. */
  readonly changed: number;
}

/**
 * Gives the devices of a person that are in the right to let others in and to shut them out, or takes
 * it from them (EE25). Each entry names the device with the keys that it has; no key is handed on.
 */
export async function entitle(
  parts: SealedParts,
  namespace: NamespaceId,
  { user, role }: Entitlement,
  signal: AbortSignal,
): Done<Entitled> {
  const { self, sha256 } = parts;
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return now;
  const { log } = now.value;
  const theirs = membersOf(log).filter((one) => one.user === user && !isRecovery(one.device));
  const others = theirs.filter((one) => one.role !== role);
  const told = { devices: theirs.length, changed: others.length };
  if (others.length === 0) return ok(told);
  if (!isAdmin(log, self)) return fail(needsEntitledDevice);
  // Whose own right goes can sign nothing after that.
  const isOwn = ({ device }: { readonly device: string }): boolean => device === self.keys.device;
  const inTurn = [...others.filter((one) => !isOwn(one)), ...others.filter((one) => isOwn(one))];
  const signer = { device: self.keys.device, jwk: self.sign };
  const said = inTurn.map(({ device, user: of, sig, enc }) => {
    return { kind: "admit", keys: { device, user: of, sig, enc }, role } as const;
  });
  const { entries } = await signEntries(sha256, signer, { head: log.head, said });
  const request = { after: log.length, entries, wraps: [] };
  const changed = await change(parts, namespace, request, signal);
  return changed.ok ? ok(told) : changed;
}
