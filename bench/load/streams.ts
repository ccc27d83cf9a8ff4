// Streams of pokes, all open at once.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { exampleHost } from "../../test/neighbours/proxies.ts";

/** Where streams are opened: a server's own port, or that of a proxy with TLS before it. */
export interface Door {
  readonly port: number;
  readonly ca?: string;
}

/** Streams that are open. */
export interface Streams {
  readonly openedMs: number;
  /** Calls `poke`, and tells how many milliseconds later each stream has had an event since. */
  reached(poke: () => Promise<unknown>): Promise<number>;
  close(): void;
}

/** How many streams are being opened at a moment. */
const openingMax = 50;
const reachedMsMax = 30_000;

/** Opens a stream with each set of headers, and waits until all have said that they are open. */
export async function openStreams(
  door: Door,
  path: string,
  heads: readonly Readonly<Record<string, string>>[],
): Promise<Streams> {
  const started = performance.now();
  const open: IncomingMessage[] = [];
  let poked = new Set<IncomingMessage>();
  const rest = heads.values();
  const lane = async (): Promise<void> => {
    for (const headers of rest) {
      const stream = await openStream(door, path, headers);
      open.push(stream);
      stream.on("data", (chunk: Buffer) => {
        if (chunk.includes("event: poke")) poked.add(stream);
      });
      stream.on("error", () => {});
    }
  };
  await Promise.all(Array.from({ length: openingMax }, lane));
  return {
    openedMs: performance.now() - started,
    reached: async (poke) => {
      poked = new Set();
      const sent = performance.now();
      await poke();
      while (poked.size < heads.length) {
        if (performance.now() - sent > reachedMsMax) {
          throw new Error(`a poke reached ${String(poked.size)} of ${String(heads.length)}`);
        }
        await sleep(1);
      }
      return performance.now() - sent;
    },
    close: () => {
      for (const stream of open) stream.destroy();
    },
  };
}

async function openStream(
  { port, ca }: Door,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const place = { host: "127.0.0.1", port, path, headers, agent: false } as const;
  return await new Promise((resolve, reject) => {
    const heard = (stream: IncomingMessage): void => {
      // The first bytes are the server's word that it listens for this device.
      stream.once("data", (chunk: Buffer) => {
        if (stream.statusCode === 200) resolve(stream);
        else reject(new Error(`no stream: ${String(stream.statusCode)} ${String(chunk)}`));
      });
    };
    const sent =
      ca === undefined
        ? httpRequest(place, heard)
        : httpsRequest({ ...place, ca, servername: exampleHost }, heard);
    // More than once: a stream that was open may be cut.
    sent.on("error", reject);
    sent.end();
  });
}
