import type { NamespaceId } from "@tidemark/protocol";
import { pushHeaderSchema } from "@tidemark/protocol/wire";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import type { Parts } from "../parts.ts";
import type { PushedOps } from "../middleware/observe.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** `POST …/ops`: a push. The op lines go on as they came, because their bytes are hashed. */
export function createPushHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    if (namespace === undefined) return problem(call.c, "not-found");
    const [first = "", ...lines] = call.lines;
    const header = parseJson(pushHeaderSchema, first);
    if (!header.ok) return problem(call.c, header.error);
    const request = { namespace, device: call.device.id, header: header.value, lines };
    const answer = await parts.push(request);
    if (!answer.ok) return syncProblem(call, answer.error);
    call.c.set("ops", countResults(lines.length, answer.value.results));
    return await answerJson(parts, call, answer.value);
  };
}

function countResults(count: number, results: readonly { readonly result: string }[]): PushedOps {
  const byResult: Record<string, number> = {};
  for (const { result } of results) byResult[result] = (byResult[result] ?? 0) + 1;
  return { count, byResult };
}
