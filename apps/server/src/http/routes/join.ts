import { joinRequestSchema } from "@tidemark/protocol/wire";
import { secretHash } from "../../auth/link-secrets.ts";
import { admission, admissionProblem, admittedDevice, admittedUser } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerAddress, callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

/** `POST /v1/join`: a link admits one device, and an invite the person it belongs to (AU11). */
export function createJoinHandler(parts: Parts): (call: Call) => Promise<Response> {
  return async (call) => {
    const request = parseJson(joinRequestSchema, call.body);
    if (!request.ok) return problem(call.c, request.error);
    const { id, auth, mac, user } = request.value;
    const device = await admittedDevice(parts, request.value.device);
    if (!device.ok) return problem(call.c, device.error);
    const pair = await parts.accounts.redeemLink({
      id,
      authHash: secretHash(parts, auth),
      mac,
      nowMs: parts.clock.nowMs(),
      device: device.value,
      network: callerNetwork(parts, call.c),
      address: callerAddress(parts, call.c),
      user: user === undefined ? undefined : admittedUser(parts, user.name),
    });
    if (!pair.ok) {
      parts.log.warn("join-refused", { reason: pair.error.kind });
      return admissionProblem(call.c, pair.error, "join");
    }
    parts.log.info("device-joined", { device: pair.value.device.id });
    const server = await parts.claim.server();
    return await answerJson(parts, call, admission(server.id, pair.value), 201);
  };
}
