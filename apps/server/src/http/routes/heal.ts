import type { NamespaceId } from "@tidemark/protocol";
import { healHeaderSchema } from "@tidemark/protocol/wire";
import { heal } from "../../domain/heal.ts";
import { answerLines } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import type { Parts } from "../parts.ts";
import { pathId } from "../path-id.ts";
import { problem } from "../problem.ts";
import { syncProblem } from "../sync-problem.ts";

/** `POST …/heal`: full states both ways. */
export function createHealHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const namespace = pathId<NamespaceId>(call, "namespace");
    if (namespace === undefined) return problem(call.c, "not-found");
    const [first = "", ...lines] = call.lines;
    const header = parseJson(healHeaderSchema, first);
    if (!header.ok) return problem(call.c, header.error);
    const request = { namespace, device: call.device.id, header: header.value, lines };
    const answer = await heal(parts.sync, request);
    if (!answer.ok) return syncProblem(call, answer.error);
    return await answerLines(parts, call, answer.value);
  };
}
