import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a proxy does to the bytes between a device and the server. Up is towards the server. */
export type ProxyMode =
  | { readonly kind: "pass" }
  /** Nobody listens; open connections are reset. */
  | { readonly kind: "refuse" }
  /** Connections open, bytes vanish both ways, nobody ever says so. */
  | { readonly kind: "blackhole" }
  /** What goes up arrives, what comes down vanishes: the request was done, its answer is lost. */
  | { readonly kind: "half-open" }
  /** Each connection is reset after so many bytes in one direction. */
  | { readonly kind: "cut"; readonly direction: Direction; readonly afterBytes: number }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "throttle"; readonly bytesPerSecond: number };

export type Direction = "up" | "down";

/** A TCP proxy on the loopback address that can be told to misbehave. */
export interface FaultProxy {
  readonly url: string;
  /** How often each mode has met a connection or bytes of one. */
  readonly met: ReadonlyMap<ProxyMode["kind"], number>;
  /**
   * Behaves like this from now on. A connection that has lost bytes is reset with the next mode, as
   * no TCP goes on behind a gap.
   */
  set(mode: ProxyMode): Promise<void>;
  close(): Promise<void>;
}

/** How finely a throttled stream is cut, in pieces a second. */
const slicesPerSecond = 20;

interface Link {
  readonly client: Socket;
  readonly upstream: Socket | undefined;
  readonly moved: Record<Direction, number>;
  hasGap: boolean;
}

/** Opens a proxy on a port of its own in front of another port. */
export async function openFaultProxy(upstreamPort: number): Promise<FaultProxy> {
  const links = new Set<Link>();
  const met = new Map<ProxyMode["kind"], number>();
  let mode: ProxyMode = { kind: "pass" };
  const meet = (): void => {
    met.set(mode.kind, (met.get(mode.kind) ?? 0) + 1);
  };

  const forward = async (link: Link, direction: Direction, chunk: Buffer): Promise<void> => {
    const now = mode;
    const sink = direction === "up" ? link.upstream : link.client;
    meet();
    if (sink === undefined || swallows(now, direction)) {
      link.hasGap = true;
      return;
    }
    if (now.kind === "delay") await sleep(now.ms);
    if (now.kind === "throttle") await trickle(sink, chunk, now.bytesPerSecond);
    else if (now.kind === "cut" && direction === now.direction) cut(link, sink, chunk, now);
    else await write(sink, chunk);
    link.moved[direction] += chunk.length;
  };

  const pump = (link: Link, direction: Direction, source: Socket): void => {
    source.on("data", (chunk: Buffer) => {
      source.pause();
      void forward(link, direction, chunk).finally(() => source.resume());
    });
    source.on("end", () => {
      if (link.hasGap) return;
      (direction === "up" ? link.upstream : link.client)?.end();
    });
  };

  const accept = (client: Socket): void => {
    meet();
    const upstream =
      mode.kind === "blackhole"
        ? undefined
        : connect({ port: upstreamPort, host: "127.0.0.1", allowHalfOpen: true });
    const link = { client, upstream, moved: { up: 0, down: 0 }, hasGap: upstream === undefined };
    links.add(link);
    const end = (): void => {
      if (mode.kind === "half-open" || mode.kind === "blackhole") return;
      links.delete(link);
      reset(link);
    };
    for (const socket of [client, upstream]) {
      socket?.setNoDelay(true);
      socket?.on("error", () => undefined);
      socket?.on("close", end);
    }
    pump(link, "up", client);
    if (upstream !== undefined) pump(link, "down", upstream);
  };

  const resetLinks = (which: (link: Link) => boolean): void => {
    for (const link of links) {
      if (!which(link)) continue;
      links.delete(link);
      reset(link);
    }
  };

  let server: Server | undefined = await listenAnywhere(accept);
  const { port } = server.address() as { readonly port: number };
  let isClosed = false;
  const stopListening = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    await new Promise<void>((resolve) => {
      closing.close(() => {
        resolve();
      });
      resetLinks(() => true);
    });
  };

  return {
    url: `http://127.0.0.1:${port}`,
    met,
    set: async (next) => {
      if (isClosed) return;
      mode = next;
      resetLinks(
        ({ client, upstream, hasGap }) => hasGap || client.closed || upstream?.closed === true,
      );
      for (const { moved } of links) Object.assign(moved, { up: 0, down: 0 });
      if (next.kind === "refuse") {
        meet();
        await stopListening();
      } else server ??= await listenOn(port, accept);
    },
    close: async () => {
      isClosed = true;
      await stopListening();
    },
  };
}

function swallows(mode: ProxyMode, direction: Direction): boolean {
  return mode.kind === "blackhole" || (mode.kind === "half-open" && direction === "down");
}

function cut(
  link: Link,
  sink: Socket,
  chunk: Buffer,
  { direction, afterBytes }: Extract<ProxyMode, { kind: "cut" }>,
): void {
  const left = afterBytes - link.moved[direction];
  if (chunk.length <= left) {
    sink.write(chunk);
    return;
  }
  sink.write(chunk.subarray(0, Math.max(0, left)), () => {
    reset(link);
  });
}

function reset({ client, upstream }: Link): void {
  client.resetAndDestroy();
  upstream?.resetAndDestroy();
}

async function trickle(sink: Socket, chunk: Buffer, bytesPerSecond: number): Promise<void> {
  const bytes = Math.max(1, Math.floor(bytesPerSecond / slicesPerSecond));
  for (let at = 0; at < chunk.length && !sink.destroyed; at += bytes) {
    await write(sink, chunk.subarray(at, at + bytes));
    await sleep(1_000 / slicesPerSecond);
  }
}

async function write(sink: Socket, chunk: Buffer): Promise<void> {
  if (sink.destroyed || sink.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      sink.off("drain", done).off("close", done);
      resolve();
    };
    sink.on("drain", done).on("close", done);
  });
}

/** Below the ports that systems give to outgoing connections: such a one could take ours meanwhile. */
const portMin = 15_000;
const portMax = 32_000;

/** A port that nobody listens on, and that no outgoing connection is given. */
export async function quietPort(): Promise<number> {
  const server = await listenAnywhere(() => undefined);
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listenAnywhere(accept: (client: Socket) => void): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    try {
      return await listenOn(port, accept);
    } catch (cause) {
      if (attempt === 100) throw cause;
    }
  }
}

async function listenOn(port: number, accept: (client: Socket) => void): Promise<Server> {
  return await new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, accept);
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      resolve(server);
    });
  });
}
