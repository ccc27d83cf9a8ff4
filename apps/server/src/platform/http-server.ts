import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Timers } from "./timers.ts";

/** Where Node's requests go. */
export interface FetchTarget {
  fetch(request: Request, env: object): Promise<Response>;
}

/** A listening HTTP server. */
export interface HttpServer {
  readonly port: number;
  /** Takes no more connections and waits for open requests; what is open after `ms` is cut. */
  close(ms: number): Promise<void>;
}

/** What one connection may cost. */
export interface ConnectionLimits {
  /** Until the head of a request is there, in milliseconds. */
  readonly headersTimeout: number;
  /** Until a request is there with its body; answers may take longer, so streams live on. */
  readonly requestTimeout: number;
  /** How long an idle connection is kept for a next request, in milliseconds. */
  readonly keepAliveTimeout: number;
  /** How often the first two are looked after, in milliseconds. */
  readonly connectionsCheckingInterval: number;
  /** A request's head, in bytes. */
  readonly maxHeaderSize: number;
  /** Header fields beyond this number are not read, give or take one batch of Node's parser. */
  readonly maxHeadersCount: number;
  /** Sockets open at once; those of pokes are the most. */
  readonly maxConnections: number;
}

/** The limits of every server; Node's own are loose (OPS21). */
export const connectionLimits: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  maxHeadersCount: 64,
  maxConnections: 4_000,
};

/** Listens and hands requests to `target`; rejects with the system's error, such as EADDRINUSE. */
export async function listen(
  timers: Timers,
  place: { readonly host: string; readonly port: number; readonly limits?: ConnectionLimits },
  createTarget: (port: number) => Promise<FetchTarget>,
): Promise<HttpServer> {
  let target: FetchTarget = { fetch: () => Promise.resolve(new Response(null, { status: 503 })) };
  const listener = getRequestListener((request, env) => target.fetch(request, env));
  const { maxHeadersCount, maxConnections, ...times } = place.limits ?? connectionLimits;
  const server = createServer(times, (incoming, outgoing) => {
    void listener(incoming, outgoing);
  });
  server.maxHeadersCount = maxHeadersCount;
  server.maxConnections = maxConnections;
  const port = await startListening(server, place);
  try {
    target = await createTarget(port);
  } catch (cause) {
    server.close();
    throw cause;
  }
  return { port, close: async (ms) => await closeServer(timers, server, ms) };
}

async function startListening(
  server: Server,
  place: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place.port, place.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return address.port;
}

async function closeServer(timers: Timers, server: Server, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  // A connection that was busy when closing began turns idle later and would linger.
  const stopSweeping = timers.every(50, () => {
    server.closeIdleConnections();
  });
  const settled = new AbortController();
  const late = timers.sleep(ms, settled.signal).then(
    () => true,
    () => false,
  );
  const isLate = await Promise.race([closed.then(() => false), late]);
  stopSweeping();
  settled.abort(new Error("closed"));
  if (isLate) server.closeAllConnections();
}
