import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { HttpResponse } from "msw";
import { emptyDigest, errorKinds, type ErrorCode, type NamespaceId } from "@tidemark/protocol";
import { ndjsonType, problemType } from "@tidemark/protocol/wire";
import { systemHttp } from "../../platform/http.ts";
import { systemTimers } from "../../platform/timers.ts";
import { exchangePush, nothingBehind } from "../exchange-push.ts";
import { exchangeHeal, exchangePull, type Exchanged } from "../exchange.ts";
import { createHttpTransport } from "../http-transport.ts";
import { createCaller } from "../http/caller.ts";
import type { Network } from "../http/network.ts";
import { createSlots } from "../slots.ts";
import type { Answer, PokeEvent, Transport } from "../transport.ts";
import { createFakeStore, type FakeStore } from "./fake-store.ts";

const serverUrl = "https://tidemark.example";
const never = new AbortController().signal;
const chain = "0".repeat(64);

/** Where the faulty server says a writer stands. */
export const position = { acked: 0, chain, since: 0, results: [] };

/** The last line of a good page. */
export const pageTail: string = JSON.stringify({
  head: 2,
  mark: "m",
  lamport: 3,
  cursor: "c",
  more: false,
  digest: emptyDigest,
  count: 1,
  position,
  writers: [],
});

/** The line of a record in a page. */
export function recordLine(seq: number): string {
  const fields = { title: `t${String(seq)}` };
  const head = { seq, id: `r${String(seq)}`, collection: "observation" };
  return JSON.stringify({ ...head, lamport: 1, writer: "w", at: 1, fields });
}

/** A page of two records. */
export const goodPage: string = `${recordLine(1)}\n${recordLine(2)}\n${pageTail}\n`;

/** What the server makes of a request. */
export type Answering = (given: {
  readonly request: { readonly url: string };
}) => Response | Promise<Response>;

/** The real transport, over the real network, before a server whose every answer a test decides. */
export interface FaultyServer {
  readonly transport: Transport;
  readonly store: FakeStore;
  /** Requests that reached it, by path. */
  readonly paths: string[];
  /** What it answers to everything from now on. */
  answer(answering: Answering): void;
  /** What each call of the transport comes to, by its name. */
  everyCall(): Promise<Readonly<Record<string, Answer<unknown>>>>;
  /** What each lane makes of it, store and all. */
  everyLane(): Promise<readonly Exchanged[]>;
  /** What the store was given; plans are no gift. */
  taken(): readonly string[];
  pokes(): Promise<readonly PokeEvent[]>;
  reset(): void;
  close(): void;
}

/** Starts to listen on a free port of this machine. `pace` divides every delay. */
export function createFaultyServer(pace = 1): FaultyServer {
  const paths: string[] = [];
  const nobody: Answering = () => HttpResponse.error();
  let answering = nobody;
  const server = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? "/", serverUrl);
    paths.push(pathname);
    void give(answering, `${serverUrl}${pathname}`, outgoing);
  });
  const origin = new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    });
  });
  const network: Network = {
    send: async (request) =>
      systemHttp.send({ ...request, url: request.url.replace(serverUrl, await origin) }),
  };
  const timers = {
    sleep: (ms: number, signal: AbortSignal) => systemTimers.sleep(ms / pace, signal),
  };
  const caller = createCaller({ serverUrl, network, timers });
  const transport = createHttpTransport({ caller, timers });
  const store = createFakeStore();
  const namespace = store.add("ns_1", { unsent: 2 });
  const push = { header: { writer: "w" as never, after: 0, chain }, lines: ["{}", "{}"] };
  return {
    transport,
    store,
    paths,
    answer: (next) => {
      answering = next;
    },
    everyCall: async () => ({
      hello: await transport.hello(never),
      push: await transport.push(namespace, push, never),
      pull: await transport.pull(namespace, { writer: undefined, after: "" }, never),
      digests: await transport.digests(namespace, never),
      bucket: await transport.bucket(namespace, { bucket: 3, after: undefined }, never),
      heal: await transport.heal(namespace, { header: { lamport: 1, want: [] }, lines: [] }, never),
      revisions: await transport.revisions(namespace, "r1" as never, never),
    }),
    everyLane: async () => {
      const deps = { store, transport, onHealed: () => undefined };
      const slots = createSlots(1);
      const spawn = (work: () => Promise<void>): void => void work();
      const behind = nothingBehind({ ...deps, timers, spawn, slots }, async () => undefined);
      return [
        await exchangePush(deps, namespace, { ops: 10, bytes: 10_000, behind }, never),
        await exchangePull(deps, namespace, never),
        await exchangeHeal(deps, namespace, never),
      ];
    },
    taken: () => store.calls.filter((call) => !call.startsWith("plan")),
    pokes: async () => {
      const events: PokeEvent[] = [];
      for await (const event of transport.pokes(never)) events.push(event);
      return events;
    },
    reset: () => {
      answering = nobody;
      store.calls.length = 0;
      paths.length = 0;
      store.change(namespace, { unsent: 2, unverified: 0, rejected: 0 });
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sends an answer as it is given, and closes the connection behind it, whatever its headers say. */
async function give(answering: Answering, url: string, outgoing: ServerResponse): Promise<void> {
  const answer = await answering({ request: { url } });
  if (answer.type === "error") {
    outgoing.destroy();
    return;
  }
  outgoing.shouldKeepAlive = false;
  outgoing.sendDate = false;
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.flushHeaders();
  // A body that fails resets the connection, and whoever asked may have left.
  if (answer.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(answer.body as WebStream), outgoing).catch(() => undefined);
}

/** A page of another program. */
export function htmlPage(status: number, headers: Record<string, string> = {}): Response {
  return HttpResponse.html("<html><title>Sign in</title></html>", { status, headers });
}

/** A problem document of this protocol. */
export function problemOf(
  code: ErrorCode,
  members: object = {},
  headers: Record<string, string> = {},
): Response {
  const { status, family, title } = errorKinds[code];
  const body = JSON.stringify({ type: "about:blank", title, status, code, family, ...members });
  return new HttpResponse(body, { status, headers: { "content-type": problemType, ...headers } });
}

/** An answer that looks like a page. */
export function pageOf(
  body: ConstructorParameters<typeof HttpResponse<string>>[0] | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Response {
  return new Response(body as never, {
    status: 200,
    headers: { "content-type": ndjsonType, ...headers },
  });
}

/** UTF-8 bytes. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A body that says what it is given, then ends, fails or stays open. */
export function streamOf(
  chunks: readonly Uint8Array[],
  end: "closes" | "fails" | "stays open",
): ReadableStream<Uint8Array> {
  const left = chunks.slice();
  return new ReadableStream({
    async pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (end === "closes") controller.close();
      else if (end === "stays open") await new Promise<never>(() => undefined);
      else {
        // A stream that fails drops what nobody has read yet; a network delivers that first.
        await systemTimers.sleep(10);
        controller.error(new Error("reset"));
      }
    },
  });
}

/** A namespace id, as the faulty server's only one is called. */
export const faultyNamespace = "ns_1" as NamespaceId;
