import { emptyDigest, type NamespaceId } from "@tidemark/protocol";
import type { Replica } from "../../store/replica-store.ts";

/** A team's replica that is sent, verified and whole. For tests. */
export const syncedReplica: Replica = {
  namespace: "ns_a" as NamespaceId,
  name: "team",
  kind: "team",
  role: "writer",
  status: "active",
  writer: undefined,
  cursor: "c",
  head: 3,
  confirmed: { digest: emptyDigest, count: 2 },
  lamport: 3,
  unsent: 0,
  unverified: 0,
  rejected: 0,
  needsHeal: false,
  healWhy: undefined,
  verified: true,
  notice: undefined,
  syncedAtMs: 5,
};
