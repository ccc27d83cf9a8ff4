import { namespaceId } from "@tidemark/protocol";
import { namespaceRequestSchema } from "@tidemark/protocol/wire";
import { createMark } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

/** `POST /v1/namespaces`: a team namespace with the asking person as its owner. */
export function createNamespaceHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const request = parseJson(namespaceRequestSchema, call.body);
    if (!request.ok) return problem(call.c, request.error);
    const created = await parts.accounts.createNamespace({
      asking: call.device.id,
      id: namespaceId(parts.random.bytes(16)),
      name: request.value.name,
      mark: createMark(parts),
      network: callerNetwork(parts, call.c),
    });
    // The device was active a moment ago, so it was revoked in between.
    if (created === undefined) return problem(call.c, "device-revoked");
    return await answerJson(parts, call, created, 201);
  };
}
