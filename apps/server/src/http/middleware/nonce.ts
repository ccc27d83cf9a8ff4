import type { MiddlewareHandler } from "hono";
import { nonceHeader } from "@tidemark/protocol";
import type { AppEnv } from "../app-env.ts";
import type { Parts } from "../parts.ts";

/**
 * Gives each answer to a proof the nonce of the next one (AU17), refusals included: a device that
 * goes on asking always has a fresh one, and none is ever fetched.
 */
export function nonceAnswers(
  parts: Pick<Parts, "claim" | "nonces" | "log">,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    if (c.req.header("dpop") === undefined) return;
    try {
      if (await parts.claim.isClaimed()) c.res.headers.set(nonceHeader, await parts.nonces.give());
    } catch (cause) {
      // The answer stands; a device without a nonce is told to come back with one.
      parts.log.warn("nonce-failed", { name: cause instanceof Error ? cause.name : "unknown" });
    }
  };
}
