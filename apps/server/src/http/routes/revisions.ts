import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { revisions } from "../../domain/revisions.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** `GET …/records/{id}/revisions`: the values that a record's fields once had. */
export function createRevisionsHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    const record = pathId<RecordId>(call, "record");
    if (namespace === undefined || record === undefined) return problem(call.c, "not-found");
    const answer = await revisions(parts.sync, { namespace, device: call.device.id, record });
    if (!answer.ok) return syncProblem(call, answer.error);
    return await answerJson(parts, call, answer.value);
  };
}
