import { fail, ok, type Result } from "@tidemark/protocol";
import { grantToken } from "../../auth/token-grant.ts";
import { answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import { callerAddress, callerNetwork } from "../caller.ts";
import { pathOf } from "../middleware/authenticate.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

const fixedFields = {
  grant_type: "client_credentials",
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
} as const;

/** `POST /v1/auth/token`: an access token for a device's signed assertion (AU8). */
export function createTokenHandler(parts: Parts): (call: Call) => Promise<Response> {
  return async (call) => {
    const { c } = call;
    const assertion = assertionIn(call.body);
    if (!assertion.ok) return problem(c, assertion.error);
    const grant = await grantToken(parts, {
      method: c.req.method,
      path: pathOf(c),
      dpop: c.req.header("dpop"),
      assertion: assertion.value,
      network: callerNetwork(parts, c),
      address: callerAddress(parts, c),
    });
    if (!grant.ok) {
      const { error } = grant;
      return problem(c, error.kind, error.kind === "key-copied" ? { counter: error.counter } : {});
    }
    return await answerJson(parts, call, grant.value.answer);
  };
}

function assertionIn(body: string): Result<string, "invalid"> {
  const form = new URLSearchParams(body);
  for (const [name, value] of Object.entries(fixedFields)) {
    const given = form.getAll(name);
    if (given.length !== 1 || given[0] !== value) return fail("invalid");
  }
  const [assertion, ...others] = form.getAll("client_assertion");
  return assertion === undefined || others.length > 0 ? fail("invalid") : ok(assertion);
}
