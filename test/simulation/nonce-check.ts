import type { NetworkRequest } from "../../apps/client/src/sync/http/network.ts";
import { calm } from "./faults.ts";
import type { Run } from "./world-state.ts";

/** Sends a request; the end of its body leaves once `end` resolves. */
export type Send = (request: NetworkRequest, end?: Promise<void>) => Promise<Response>;

/**
 * Looks whether a request is refused for its nonce and at once again with the one that came: while all
 * is well every replica takes what another gave (AU61).
 */
export function withNonceCheck(
  { run, name }: { readonly run: Run; readonly name: string },
  send: Send,
): Send {
  /** When a request was refused last, by what it was for. */
  const refusals = new Map<string, number>();
  return async (request, end) => {
    const what = `${request.method} ${request.url}`;
    const isCalm = run.faults === calm;
    const isRetry = refusals.get(what) === run.time.nowMs();
    const response = await send(request, end);
    const isRefused = response.headers.get("www-authenticate")?.includes("nonce") === true;
    if (!isCalm || !isRefused) return response;
    if (isRetry) run.broken("AU61", `${name} was refused two nonces: ${what}`);
    refusals.set(what, run.time.nowMs());
    return response;
  };
}
