import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way of some length and width between a client and a server. */
export interface Line {
  readonly port: number;
  /** Bytes that went up so far. */
  bytesUp(): number;
  /** Where it leads. */
  leadTo(port: number): void;
  close(): void;
}

/** How a line is. */
export interface LineKind {
  /** One way, in milliseconds. */
  readonly delayMs: number;
  /** Bytes a second that all connections together get up. */
  readonly bytesPerSecondUp: number;
}

/** Opens a line on loopback: all bytes come later, and those that go up wait for one another. */
export async function openLine({ delayMs, bytesPerSecondUp }: LineKind): Promise<Line> {
  let target = 0;
  let bytesUp = 0;
  let freeAtMs = 0;
  /** When these bytes have gone up, all before them gone. */
  const gone = (bytes: number): number => {
    bytesUp += bytes;
    freeAtMs = Math.max(freeAtMs, performance.now()) + (bytes / bytesPerSecondUp) * 1_000;
    return freeAtMs;
  };
  const carry = (from: Socket, to: Socket, goneAt: (bytes: number) => number): void => {
    let arrived = Promise.resolve();
    const after = (bytes: number, work: () => void): void => {
      const atMs = goneAt(bytes) + delayMs;
      // One after another: timers of one millisecond have no order.
      arrived = arrived.then(() => until(atMs)).then(work);
    };
    from.on("data", (bytes) => {
      after(bytes.length, () => void (to.destroyed || to.write(bytes)));
    });
    from.on("end", () => {
      after(0, () => to.end());
    });
    from.on("error", () => to.destroy());
  };
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    near.setNoDelay(true);
    far.setNoDelay(true);
    carry(near, far, gone);
    carry(far, near, () => performance.now());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytesUp: () => bytesUp,
    leadTo: (port) => {
      target = port;
    },
    close: () => server.close(),
  };
}

async function until(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
