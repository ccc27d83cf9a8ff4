import type { MiddlewareHandler } from "hono";
import type { AppDeps } from "../app-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { peerAddress } from "../caller.ts";
import { networkPrefix } from "../network-of.ts";

/** What reverse proxies put the caller's address into. */
const headers = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

/**
 * Tells once that a forwarded address came from somebody who is not believed (OPS29): most often
 * the operator's own proxy, behind which all devices then count as one network.
 */
export function watchForwarded(
  deps: Pick<AppDeps, "isTrustedProxy" | "log">,
): MiddlewareHandler<AppEnv> {
  let isTold = false;
  return async (c, next) => {
    const peer = isTold ? undefined : peerAddress(c);
    const name = headers.find((header) => c.req.header(header) !== undefined);
    if (peer !== undefined && name !== undefined && deps.isTrustedProxy?.(peer) !== true) {
      isTold = true;
      deps.log.warn("forwarded-not-believed", {
        header: name,
        network: networkPrefix(peer),
        fix: "if this is your reverse proxy, name its address in TRUSTED_PROXIES; if not, ignore it",
      });
    }
    await next();
  };
}
