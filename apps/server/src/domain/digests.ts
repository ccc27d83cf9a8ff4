import { fail, limits, ok, type DeviceId, type NamespaceId, type Result } from "@tidemark/protocol";
import type { BucketAnswer, DigestsAnswer } from "@tidemark/protocol/wire";
import type { BucketPage } from "../store/port.ts";
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

/** Which bucket, and where its list is to come in pages, which of them. */
export interface BucketRequest extends DigestsRequest {
  readonly bucket: number;
  readonly page?:
    | (Pick<BucketPage, "after"> & { readonly countMax?: number | undefined })
    | undefined;
}

/**
 * Gives the digest of every record of one bucket (HL1). To who asks for pages, a page of them
 * (HL40): anybody may invent ids of one bucket, so its list has no end that an answer could hold.
 */
export function bucket(
  deps: Pick<SyncDeps, "store">,
  request: BucketRequest,
): Promise<Result<BucketAnswer, SyncError>> {
  const { bucket: asked, page } = request;
  return inRead(deps.store, request.namespace, async (tx) => {
    if ((await tx.access(request.device)) === undefined) return fail({ kind: "not-found" });
    if (page === undefined) return ok({ records: await tx.bucket(asked) });
    const countMax = Math.min(page.countMax ?? limits.bucketRecordsMax, limits.bucketRecordsMax);
    const found = await tx.bucket(asked, { after: page.after, countMax: countMax + 1 });
    return ok({ records: found.slice(0, countMax), more: found.length > countMax });
  });
}
