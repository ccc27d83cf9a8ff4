import {
  bucketCount,
  fail,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
} from "@tidemark/protocol";
import type { BucketAnswer, DigestsAnswer } from "@tidemark/protocol/wire";
import { cursorText } from "./cursor.ts";
import type { SyncDeps } from "./sync-deps.ts";
import type { SyncError } from "./sync-error.ts";
import { inRead } from "./transaction.ts";

/** Who asks, and about what. */
export interface DigestsRequest {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
}

/** Gives the digests of all buckets, from one snapshot (HL1). */
export function digests(
  deps: Pick<SyncDeps, "store">,
  request: DigestsRequest,
): Promise<Result<DigestsAnswer, SyncError>> {
  return inRead(deps.store, request.namespace, async (tx) => {
    const [standing, access, buckets] = await Promise.all([
      tx.head(),
      tx.access(request.device),
      tx.bucketDigests(),
    ]);
    if (access === undefined) return fail({ kind: "not-found" });
    const { head, mark, lamport, digest, count } = standing;
    return ok({
      head,
      mark,
      lamport,
      digest,
      count,
      cursor: cursorText({ seq: head, head, mark }),
      buckets: buckets.map((bucket) => [bucket.digest, bucket.count] as const),
    });
  });
}

/** Gives the digest of every record of one bucket (HL1). */
export async function bucket(
  deps: Pick<SyncDeps, "store">,
  request: DigestsRequest & { readonly bucket: number },
): Promise<Result<BucketAnswer, SyncError>> {
  const { bucket: asked } = request;
  if (!Number.isInteger(asked) || asked < 0 || asked >= bucketCount) {
    return fail({ kind: "invalid" });
  }
  return inRead(deps.store, request.namespace, async (tx) => {
    const [access, records] = await Promise.all([tx.access(request.device), tx.bucket(asked)]);
    return access === undefined ? fail({ kind: "not-found" }) : ok({ records });
  });
}
