import { joinJobRequestSchema } from "@tidemark/protocol/wire";
import { checkIdToken } from "../../auth/jobs/id-token.ts";
import type { JobError } from "../../store/jobs-port.ts";
import { admission, admissionProblem, admittedDevice } from "../admission.ts";
import { answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import { parseJson } from "../body.ts";
import { callerAddress, callerNetwork } from "../caller.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

/** `POST /v1/join/job`: a CI job's own token admits its machine by the rule that takes it (PR15). */
export function createJoinJobHandler(parts: Parts): (call: Call) => Promise<Response> {
  return async (call) => {
    const request = parseJson(joinJobRequestSchema, call.body);
    if (!request.ok) return problem(call.c, request.error);
    const device = await admittedDevice(parts, request.value.device);
    if (!device.ok) return problem(call.c, device.error);
    const token = await checkIdToken(parts, request.value.token);
    if (!token.ok) {
      parts.log.warn("job-refused", { reason: token.error });
      return token.error === "unavailable"
        ? problem(call.c, "unavailable", { title: issuerAway, retryAfterMs: issuerRetryMs })
        : problem(call.c, "invalid-token", { title: noRule });
    }
    const { job, hash: tokenHash, endsAtMs: tokenEndsAtMs } = token.value;
    const pair = await parts.accounts.admitJob({
      job,
      tokenHash,
      tokenEndsAtMs,
      link: request.value.link,
      device: device.value,
      nowMs: parts.clock.nowMs(),
      network: callerNetwork(parts, call.c),
      address: callerAddress(parts, call.c),
    });
    if (!pair.ok) {
      parts.log.warn("job-refused", { reason: pair.error.kind });
      return jobProblem(call, pair.error);
    }
    parts.log.info("device-joined", { device: pair.value.device.id });
    const server = await parts.claim.server();
    return await answerJson(parts, call, admission(server.id, pair.value), 201);
  };
}

/** When to try again while an issuer does not answer, in milliseconds. */
const issuerRetryMs = 30_000;
const issuerAway =
  "The CI service that signed the token does not give its keys. Run the job again.";
/** One sentence for every token that is not taken: whoever shows it learns nothing of the rules. */
const noRule =
  "No rule takes this job's token. An admin sees the rules by `tidemark device links`, and the server's log says why.";
const severalRules =
  "Several rules take this job. Name one: `tidemark pair URL --oidc --link ID`; `tidemark device links` shows them.";

function jobProblem({ c }: Call, error: JobError): Response {
  switch (error.kind) {
    case "no-rule":
    case "token-used":
      return problem(c, "invalid-token", { title: noRule });
    case "several-rules":
      return problem(c, "conflict", { title: severalRules });
    case "key-in-use":
    case "too-many-devices":
      return admissionProblem(c, { kind: error.kind }, "join");
  }
}
