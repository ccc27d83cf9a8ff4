import { fail, ok, type LogRole, type NamespaceId } from "@tidemark/protocol";
import type { Done } from "../access/access-error.ts";
import { fingerprint } from "./device-statement.ts";
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
  /** Only tells which devices it would be. */
  readonly isDry?: boolean;
}

/** What became of it. */
export interface Entitled {
  /** How many of the person's devices are in. */
  readonly devices: number;
  /** What people compare of those whose right was changed, or would be. */
  readonly changed: readonly string[];
}

/**
 * Gives the devices of a person that are in the right to let others in and to shut them out, or takes
 * it from them (EE25). Each entry names the device with the keys that it has; no key is handed on.
 */
export async function entitle(
  parts: SealedParts,
  namespace: NamespaceId,
  { user, role, isDry = false }: Entitlement,
  signal: AbortSignal,
): Done<Entitled> {
  const { self, sha256 } = parts;
  const now = await readStanding(parts, namespace, signal);
  if (!now.ok) return now;
  const { log } = now.value;
  const theirs = membersOf(log).filter((one) => one.user === user && !isRecovery(one.device));
  const others = theirs.filter((one) => one.role !== role);
  const changing = others.map((one) => fingerprint(sha256, namespace, one));
  const told = { devices: theirs.length, changed: changing };
  if (others.length === 0) return ok(told);
  if (!isAdmin(log, self)) return fail(needsEntitledDevice);
  if (isDry) return ok(told);
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
