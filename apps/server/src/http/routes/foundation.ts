import { answerContent, answerJson } from "../answer.ts";
import type { Call } from "../app-env.ts";
import { openApiDocument } from "../openapi.ts";
import type { Parts } from "../parts.ts";
import { problem } from "../problem.ts";

type Handler = (call: Call) => Promise<Response>;

/** How long others may keep the public keys, in seconds. */
const jwksMaxAgeS = 300;

/** Routes that tell whether the server lives and how to check its signatures. */
export function createFoundationHandlers(
  parts: Parts,
): Readonly<Record<"health" | "ready" | "jwks" | "openapi", Handler>> {
  // It is the same for the life of the process, and anybody may ask for it; few processes are asked.
  let description: string | undefined;
  return {
    health: async (call) => await answerJson(parts, call, { status: "ok" }),
    ready: async (call) => {
      const isReady = parts.isReady && (await parts.store.ping());
      if (!isReady) return problem(call.c, "unavailable");
      return await answerJson(parts, call, { status: "ok" });
    },
    openapi: async (call) => {
      description ??= JSON.stringify(openApiDocument());
      return await answerContent(parts, call, {
        content: description,
        type: "application/json",
        status: 200,
      });
    },
    jwks: async (call) => {
      call.c.header("Cache-Control", `public, max-age=${jwksMaxAgeS}`);
      return await answerJson(parts, call, { keys: await parts.keys.published() });
    },
  };
}
