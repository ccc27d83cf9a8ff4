/** Compares this replica with the server's bucket by bucket and exchanges what differs. */
import {
  bucketCount,
  fail,
  isAtLeast,
  isSameSet,
  ok,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { DigestsAnswer } from "@tidemark/protocol/wire";
import type { ReplicaStore } from "../store/replica-store.ts";
import { createHealSender, type Difference, type HealSender } from "./heal-sender.ts";
import type { Work } from "./outcome.ts";
import { cancelled, type Answer, type Transport } from "./transport.ts";

/** What a heal needs. */
export interface HealDeps {
  readonly store: Pick<
    ReplicaStore,
    "replica" | "sealing" | "bucketDigests" | "bucket" | "healLines" | "takeHealed" | "finishHeal"
  >;
  readonly transport: Pick<Transport, "digests" | "bucket" | "heal">;
  /** Told how far it is. */
  readonly onWork?: (work: Work) => void;
}

/** What a heal did, by records. */
export interface HealCounts {
  readonly buckets: number;
  readonly pushed: number;
  readonly wanted: number;
  /**
   * States that only this replica has and may not deliver, because its role is reader or because it
   * does not believe the namespace's log.
   */
  readonly ahead: number;
  /** States that the server refused: role, size, quota or shape. */
  readonly refused: number;
}

/**
 * Heals one namespace (HL31). Ends early, with nothing lost, when a request fails or the signal
 * aborts: the store remembers that a heal is due, and what was exchanged stays exchanged.
 */
export async function healNamespace(
  deps: HealDeps,
  namespace: NamespaceId,
  signal: AbortSignal,
): Promise<Answer<HealCounts>> {
  const digests = await deps.transport.digests(namespace, signal);
  if (!digests.ok) return digests;
  const mayDeliver = mayWrite(deps, namespace) && isBelieved(deps, namespace);
  const sender = createHealSender(deps, { namespace, from: digests.value.head }, signal);
  const buckets = differingBuckets(deps, namespace, digests.value);
  let ahead = 0;
  for (const [done, bucket] of buckets.entries()) {
    deps.onWork?.({ kind: "heal", done, total: buckets.length });
    const healed = await healBucket({ deps, namespace, mayDeliver, sender }, bucket, signal);
    if (!healed.ok) return healed;
    ahead += healed.value;
  }
  const counts = await sender.finish(mayDeliver && isClockAhead(deps, namespace, digests.value));
  if (!counts.ok) return counts;
  if (signal.aborted) return fail(cancelled);
  deps.store.finishHeal(namespace, digests.value, ahead);
  return ok({ ...counts.value, ahead, buckets: buckets.length });
}

interface Healing {
  readonly deps: HealDeps;
  readonly namespace: NamespaceId;
  readonly mayDeliver: boolean;
  readonly sender: HealSender;
}

/**
 * Exchanges what differs in one bucket, page by page of the server's list (HL40): each is compared
 * with what this replica has between its ends. Gives how many are ahead.
 */
async function healBucket(
  { deps, namespace, mayDeliver, sender }: Healing,
  bucket: number,
  signal: AbortSignal,
): Promise<Answer<number>> {
  let ahead = 0;
  for (let after: RecordId | undefined; ;) {
    const theirs = await deps.transport.bucket(namespace, { bucket, after }, signal);
    if (!theirs.ok) return theirs;
    const { records, more } = theirs.value;
    const upTo = more === true ? records.at(-1)?.[0] : undefined;
    const ours = deps.store.bucket(namespace, bucket, { after, upTo });
    const { push, want } = compareBuckets(ours, records);
    const difference = mayDeliver ? { push, want } : { push: [], want: [...want, ...push] };
    // Who may not deliver takes what the server has; what they alone hold is told (HL33, EE10).
    ahead += push.length - difference.push.length;
    const sent = await sender.send(difference);
    if (!sent.ok) return sent;
    if (upTo === undefined) return ok(ahead);
    after = upTo;
  }
}

function mayWrite({ store }: HealDeps, namespace: NamespaceId): boolean {
  const role = store.replica(namespace)?.role;
  return role === undefined || isAtLeast(role, "writer");
}

function isBelieved({ store }: HealDeps, namespace: NamespaceId): boolean {
  return store.sealing(namespace)?.trouble === undefined;
}

/** A heal also tells this replica's lamport, which may be all that the server lacks (CK3). */
function isClockAhead({ store }: HealDeps, namespace: NamespaceId, theirs: DigestsAnswer): boolean {
  return (store.replica(namespace)?.lamport ?? 0) > theirs.lamport;
}

function differingBuckets(
  { store }: HealDeps,
  namespace: NamespaceId,
  theirs: DigestsAnswer,
): readonly number[] {
  const ours = store.bucketDigests(namespace);
  return Array.from({ length: bucketCount }, (_, bucket) => bucket).filter((bucket) => {
    const own = ours[bucket];
    const [digest, count] = theirs.buckets[bucket] ?? [];
    if (own === undefined || digest === undefined || count === undefined) return true;
    return !isSameSet(own, { digest, count });
  });
}

/** A record that both have but differently is delivered; the answer brings the server's back. */
function compareBuckets(
  ours: readonly (readonly [RecordId, string])[],
  theirs: readonly (readonly [RecordId, string])[],
): Difference {
  const theirsById = new Map(theirs);
  const oursById = new Map(ours);
  return {
    push: ours.filter(([id, digest]) => theirsById.get(id) !== digest).map(([id]) => id),
    want: theirs.filter(([id]) => !oursById.has(id)).map(([id]) => id),
  };
}
