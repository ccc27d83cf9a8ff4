import type { Context } from "hono";
import type { AppDeps } from "./app-deps.ts";
import type { AppEnv } from "./app-env.ts";
import { forwardedAddress, networkPrefix } from "./network-of.ts";

type CallerDeps = Pick<AppDeps, "isTrustedProxy">;

/**
 * Where a request comes from: the peer, or behind a trusted proxy the right-most address that no
 * trusted proxy has. What stands further left anybody may have written; what is no address was
 * written by nobody who should be believed, so there the walk ends at the last address known.
 */
export function callerAddress(deps: CallerDeps, c: Context<AppEnv>): string | undefined {
  const isTrusted = deps.isTrustedProxy ?? (() => false);
  let known = peerAddress(c);
  if (known === undefined) return undefined;
  const entries = (c.req.header("x-forwarded-for") ?? "").split(",");
  while (isTrusted(known)) {
    const hop = forwardedAddress(entries.pop() ?? "");
    if (hop === undefined) return known;
    known = hop;
  }
  return known;
}

/** The address at the other end of the socket; undefined where a test calls without one. */
export function peerAddress(c: Context<AppEnv>): string | undefined {
  const env: AppEnv["Bindings"] | undefined = c.env;
  return env?.incoming?.socket?.remoteAddress;
}

/** The prefix of the caller's network, for people and the audit (AD2). */
export function callerNetwork(deps: CallerDeps, c: Context<AppEnv>): string | undefined {
  return networkPrefix(callerAddress(deps, c));
}
