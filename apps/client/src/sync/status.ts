import type { NamespaceId, Role } from "@tidemark/protocol";
import { isCutOff, type LastFailure } from "./last-failure.ts";
import type { Replica } from "../store/replica-store.ts";

/** How one namespace of this device stands, as `status` prints it. */
export interface NamespaceStatus {
  readonly id: NamespaceId;
  readonly name: string;
  readonly kind: Replica["kind"];
  /** Null until a server has said it. */
  readonly role: Role | null;
  readonly status: Replica["status"];
  /** Ops not yet acknowledged. */
  readonly outbox: number;
  /** Ops acknowledged, not yet seen again in a verified pull. */
  readonly unverified: number;
  readonly rejected: number;
  readonly cursor: string;
  readonly head: number;
  readonly records: number;
  /** Whether, by all this device was told, it and the server hold the same and nothing waits. */
  readonly synced: boolean;
  /** Wall time of the last verified pull, in milliseconds. */
  readonly syncedAt: number | null;
  readonly notice: string | null;
}

/**
 * Whether a namespace may be called synced (CL20): everything sent, seen again in a pull that
 * reached the head with equal digests, nothing refused, no heal due, and its server still lists it
 * and takes this device.
 */
export function isSynced(replica: Replica, lastFailure?: LastFailure): boolean {
  if (isCutOff(lastFailure)) return false;
  const { unsent, unverified, rejected, verified, needsHeal, status, kind } = replica;
  if (kind === "local" || status !== "active") return false;
  return unsent === 0 && unverified === 0 && rejected === 0 && verified && !needsHeal;
}

/** The namespaces that a server knows or will know, personal first; `local` never leaves the device. */
export function namespaceStatuses(
  replicas: readonly Replica[],
  lastFailure?: LastFailure,
): readonly NamespaceStatus[] {
  return replicas
    .filter(({ kind }) => kind !== "local")
    .map((replica) => statusOf(replica, lastFailure))
    .toSorted(
      (left, right) => Number(right.kind === "personal") - Number(left.kind === "personal"),
    );
}

function statusOf(replica: Replica, lastFailure: LastFailure | undefined): NamespaceStatus {
  return {
    id: replica.namespace,
    name: replica.name,
    kind: replica.kind,
    role: replica.role ?? null,
    status: replica.status,
    outbox: replica.unsent,
    unverified: replica.unverified,
    rejected: replica.rejected,
    cursor: replica.cursor,
    head: replica.head,
    records: replica.confirmed.count,
    synced: isSynced(replica, lastFailure),
    syncedAt: replica.syncedAtMs ?? null,
    notice: replica.notice ?? null,
  };
}
