import { bucketCount, type NamespaceId } from "@tidemark/protocol";
import { bucket, digests } from "../../domain/digests.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** `GET …/digests`: the digest of every bucket, or of every record in one bucket. */
export function createDigestsHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    if (namespace === undefined) return problem(call.c, "not-found");
    const asked = call.c.req.query("bucket");
    const place = { namespace, device: call.device.id };
    if (asked === undefined) {
      const all = await digests(parts.sync, place);
      return all.ok ? await answerJson(parts, call, all.value) : syncProblem(call, all.error);
    }
    const number = /^\d{1,3}$/.test(asked) ? Number(asked) : bucketCount;
    if (number >= bucketCount) return problem(call.c, "invalid");
    const one = await bucket(parts.sync, { ...place, bucket: number });
    return one.ok ? await answerJson(parts, call, one.value) : syncProblem(call, one.error);
  };
}
