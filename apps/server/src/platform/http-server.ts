import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { serverLimits } from "../limits.ts";
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

/** What one connection may cost, under Node's names; see `serverLimits.connection`. */
export interface ConnectionLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly maxHeaderSize: number;
  readonly maxHeadersCount: number;
  readonly maxConnections: number;
  /** What Node calls the timeout of a socket: no byte moves for so long. */
  readonly timeout: number;
}

const { connection } = serverLimits;

/** The limits of every server; Node's own are loose (OPS21). */
export const connectionLimits: ConnectionLimits = {
  headersTimeout: connection.headMs,
  requestTimeout: connection.requestMs,
  keepAliveTimeout: connection.idleMs,
  connectionsCheckingInterval: connection.checkEveryMs,
  maxHeaderSize: connection.headBytesMax,
  maxHeadersCount: connection.headFieldsMax,
  maxConnections: connection.openMax,
  timeout: connection.stallMs,
};

/** Listens and hands requests to `target`; rejects with the system's error, such as EADDRINUSE. */
export async function listen(
  timers: Timers,
  place: { readonly host: string; readonly port: number; readonly limits?: ConnectionLimits },
  createTarget: (port: number) => Promise<FetchTarget>,
): Promise<HttpServer> {
  let target: FetchTarget = { fetch: () => Promise.resolve(new Response(null, { status: 503 })) };
  const listener = getRequestListener((request, env) => target.fetch(request, env));
  const { maxHeadersCount, maxConnections, timeout, ...times } = place.limits ?? connectionLimits;
  const server = createServer(
    times,
    inTurn((incoming, outgoing) => {
      void listener(incoming, outgoing);
    }),
  );
  server.maxHeadersCount = maxHeadersCount;
  server.maxConnections = maxConnections;
  // Who reads nothing of an answer would hold its connection for ever.
  server.timeout = timeout;
  const port = await startListening(server, place);
  try {
    target = await createTarget(port);
  } catch (cause) {
    server.close();
    throw cause;
  }
  return { port, close: async (ms) => await closeServer(timers, server, ms) };
}

type Work = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Works on one request of a connection at a time (OPS33). Node begins all that lie in one packet at
 * once, a thousand and more, and everybody else waits for the last of them. Between two of them
 * the others have their turn. No client of ours sends one before the last is answered.
 */
function inTurn(work: Work): Work {
  const waitingBySocket = new WeakMap<Socket, (() => void)[]>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const waiting = waitingBySocket.get(socket) ?? [];
    const isFirst = !waitingBySocket.has(socket);
    waitingBySocket.set(socket, waiting);
    const begin = (): void => {
      outgoing.once("close", () => {
        const next = waiting.shift();
        if (next === undefined) waitingBySocket.delete(socket);
        // Whoever went away asks for nothing more.
        else if (!socket.destroyed) setImmediate(next);
      });
      work(incoming, outgoing);
    };
    if (isFirst) begin();
    else waiting.push(begin);
  };
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
