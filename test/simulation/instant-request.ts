import type { NetworkRequest } from "../../apps/client/src/sync/http/network.ts";
import { wholeBody } from "./whole-body.ts";

const encoder = new TextEncoder();
/** For requests that nobody takes back. */
const unending = new AbortController().signal;

/**
 * A request as the server sees one, as much of it as the server reads. A real one makes a signal of
 * its own and a stream of its body, which costs as much as reading it.
 */
export function instantRequest(
  { method, url, headers, body }: Omit<NetworkRequest, "signal">,
  signal: AbortSignal = unending,
): Request {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return {
    method,
    url,
    headers: new Headers(headers),
    body: bytes === undefined ? null : wholeBody(bytes),
    signal,
  } as unknown as Request;
}
