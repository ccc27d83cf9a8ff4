import { setupRequestSchema } from "@tidemark/protocol/wire";
import { secretHash } from "../../auth/link-secrets.ts";
import { admission, admissionProblem, admittedDevice, admittedUser } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

/**
 * `POST /v1/setup`: the setup link makes the owner and pairs the first device, once (AU1); a link
 * of `owner-reset` pairs one more device of the owner (AU21).
 */
export function createSetupHandler(parts: Parts): (call: Call) => Promise<Response> {
  return async (call) => {
    const request = parseJson(setupRequestSchema, call.body);
    if (!request.ok) return problem(call.c, request.error);
    const device = await admittedDevice(parts, request.value.device);
    if (!device.ok) return problem(call.c, device.error);
    const { id, claimedAtMs } = await parts.claim.server();
    const pair = await parts.accounts.claim({
      secretHash: secretHash(parts, request.value.secret),
      nowMs: parts.clock.nowMs(),
      user: admittedUser(parts, request.value.user.name),
      device: device.value,
      network: callerNetwork(parts, call.c),
    });
    if (!pair.ok) {
      parts.log.warn("setup-refused", { reason: pair.error.kind });
      return admissionProblem(call.c, pair.error, "setup");
    }
    const event = claimedAtMs === undefined ? "server-claimed" : "owner-reset-used";
    parts.log.info(event, { device: pair.value.device.id });
    await parts.onClaimed?.(id);
    return await answerJson(parts, call, admission(id, pair.value), 201);
  };
}
