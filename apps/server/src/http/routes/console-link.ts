import type { ConsoleLinkAnswer } from "@tidemark/protocol/wire";
import { secretHash } from "../../auth/link-secrets.ts";
import { serverLimits } from "../../limits.ts";
import { answerJson } from "../answer.ts";
import type { DeviceCall } from "../app-env.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

const { linkMs } = serverLimits.console;

/** `POST /v1/console/links`: a link by which a browser signs in as the person of this device (CO1). */
export function createConsoleLinkHandler(parts: Parts): (call: DeviceCall) => Promise<Response> {
  return async (call) => {
    const secret = Buffer.from(parts.random.bytes(32)).toString("base64url");
    const nowMs = parts.clock.nowMs();
    const isKept = await parts.accounts.saveConsoleLink({
      hash: secretHash(parts, secret),
      asking: call.device.id,
      nowMs,
      endsAtMs: nowMs + linkMs,
    });
    // The device was active a moment ago, so it was revoked in between.
    if (!isKept) return problem(call.c, "device-revoked");
    parts.log.info("console-link-made", { device: call.device.id });
    const answer: ConsoleLinkAnswer = { path: `/console/enter#${secret}`, expiresInMs: linkMs };
    return await answerJson(parts, call, answer, 201);
  };
}
