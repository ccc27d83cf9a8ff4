import {
  bucketCount,
  fail,
  isId,
  ok,
  type NamespaceId,
  type RecordId,
  type Result,
} from "@tidemark/protocol";
import { bucket, digests, type BucketRequest } from "../../domain/digests.ts";
import { answerJson } from "../answer.ts";
import type { Call, DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** `GET …/digests`: the digest of every bucket, or of every record in one bucket. */
export function createDigestsHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    if (namespace === undefined) return problem(call.c, "not-found");
    const place = { namespace, device: call.device.id };
    if (call.c.req.query("bucket") === undefined) {
      const all = await digests(parts.sync, place);
      return all.ok ? await answerJson(parts, call, all.value) : syncProblem(call, all.error);
    }
    const query = readQuery(call);
    if (!query.ok) return problem(call.c, query.error);
    const one = await bucket(parts.sync, { ...place, ...query.value });
    return one.ok ? await answerJson(parts, call, one.value) : syncProblem(call, one.error);
  };
}

type BucketQuery = Pick<BucketRequest, "bucket" | "page">;

/** A client of before names neither `after` nor `limit`, and gets all at once. */
function readQuery({ c }: Call): Result<BucketQuery, "invalid"> {
  const asked = c.req.query("bucket") ?? "";
  const after = c.req.query("after");
  const limit = c.req.query("limit");
  const number = /^\d{1,3}$/.test(asked) ? Number(asked) : bucketCount;
  if (number >= bucketCount) return fail("invalid");
  if (after !== undefined && !isId(after)) return fail("invalid");
  if (limit !== undefined && !/^[1-9]\d{0,6}$/.test(limit)) return fail("invalid");
  if (after === undefined && limit === undefined) return ok({ bucket: number });
  const countMax = limit === undefined ? undefined : Number(limit);
  return ok({ bucket: number, page: { after: after as RecordId | undefined, countMax } });
}
