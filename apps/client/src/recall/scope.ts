import type { NamespaceId } from "@tidemark/protocol";
import type { Replica } from "../store/replica-store.ts";

type Named = Pick<Replica, "namespace" | "status" | "kind">;

/**
 * Namespaces that are read where nobody names one (RC8): all of this device's, without those that
 * its person is no longer a member of.
 */
export function recallNamespaces(replicas: readonly Named[]): readonly NamespaceId[] {
  return replicas.filter(({ status }) => status !== "parked").map(({ namespace }) => namespace);
}

/** Namespaces that only this device's person writes to. */
export function ownNamespaces(replicas: readonly Named[]): ReadonlySet<NamespaceId> {
  const own = replicas.filter(({ kind }) => kind !== "team").map(({ namespace }) => namespace);
  return new Set(own);
}
