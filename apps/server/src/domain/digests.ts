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
    // All records are added up for it: nobody's who may not see them.
    if ((await tx.access(request.device)) === undefined) return fail({ kind: "not-found" });
    const [standing, buckets] = await Promise.all([tx.head(), tx.bucketDigests()]);
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
    if ((await tx.access(request.device)) === undefined) return fail({ kind: "not-found" });
    return ok({ records: await tx.bucket(asked) });
  });
}
