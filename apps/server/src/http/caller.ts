import type { Context } from "hono";
import type { AppDeps } from "./app-deps.ts";
import type { AppEnv } from "./app-env.ts";
import { networkPrefix } from "./network-of.ts";

type CallerDeps = Pick<AppDeps, "isTrustedProxy">;

/**
 * Where a request comes from: the peer, or behind a trusted proxy the right-most address that no
 * trusted proxy has. What stands further left anybody may have written.
 */
export function callerAddress(deps: CallerDeps, c: Context<AppEnv>): string | undefined {
  // The env is undefined where a test calls the application without a socket.
  const env: AppEnv["Bindings"] | undefined = c.env;
  const peer = env?.incoming?.socket?.remoteAddress;
  const isTrusted = deps.isTrustedProxy ?? (() => false);
  if (peer === undefined || !isTrusted(peer)) return peer;
  const hops = (c.req.header("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  return hops.findLast((hop) => hop !== "" && !isTrusted(hop)) ?? peer;
}

/** The prefix of the caller's network, for people and the audit (AD2). */
export function callerNetwork(deps: CallerDeps, c: Context<AppEnv>): string | undefined {
  return networkPrefix(callerAddress(deps, c));
}
