import type { NetworkRequest } from "../../apps/client/src/sync/http/network.ts";
import { piecesBody, wholeBody, type WholeBody } from "./whole-body.ts";

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
  return requestOf({ method, url, headers }, bytes && wholeBody(bytes), signal);
}

/** How many bytes of a body come last, as of one that the network holds. */
const heldBytes = 8;

/** The same, whose last bytes come once `end` resolves; rejected, the body breaks off before them. */
export function heldRequest(
  { method, url, headers, body = "" }: Omit<NetworkRequest, "signal">,
  end: Promise<void>,
): Request {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const from = Math.max(0, bytes.length - heldBytes);
  const last = end.then(() => bytes.subarray(from));
  // Nobody may have come to read it when it breaks off.
  last.catch(() => undefined);
  const held = piecesBody([bytes.subarray(0, from), last]);
  return requestOf({ method, url, headers }, held, unending);
}

function requestOf(
  { method, url, headers }: Pick<NetworkRequest, "method" | "url" | "headers">,
  body: WholeBody | undefined,
  signal: AbortSignal,
): Request {
  return {
    method,
    url,
    headers: new Headers(headers),
    body: body ?? null,
    signal,
  } as unknown as Request;
}
