import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { Suspect } from "@tidemark/protocol/wire";
import type { Store } from "../store/port.ts";

/** A word that a device is not to be believed, from some time on. */
export interface QuarantineInput {
  readonly asking: DeviceId;
  readonly device: DeviceId;
  /** Wall time in milliseconds; 0: everything that it ever wrote. */
  readonly sinceMs: number;
  readonly network: string | undefined;
}

/**
 * Puts a device in quarantine in every namespace where it has written and the asking person has the
 * say (QU1). The time becomes a place in each namespace's own order, once and for all (QU2): times
 * that records claim are the device's own, and so the thief's. Marks are thinned with age, which
 * finds an earlier place and hides more, never less.
 *
 * Each namespace is asked by itself, for each may stand in a database of its own; rights are read
 * once more when it is set. Gives where it took effect.
 */
export async function setQuarantine(
  { accounts, readNamespace }: Pick<Store, "accounts" | "readNamespace">,
  input: QuarantineInput,
): Promise<readonly Suspect[]> {
  const { device, sinceMs } = input;
  const places = new Map<NamespaceId, number>();
  for (const namespace of await accounts.quarantinable(input)) {
    const place = await readNamespace(namespace, (tx) => tx.placeOf(device, sinceMs));
    if (place !== undefined) places.set(namespace, place);
  }
  return places.size === 0 ? [] : await accounts.quarantine({ ...input, places });
}
