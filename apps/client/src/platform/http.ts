import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createGunzip } from "node:zlib";
import { environment } from "./program.ts";
import { createSecureAgents } from "./proxy/secure-agents.ts";
import type { TunnelOptions } from "./proxy/tunnel-agent.ts";

/** One HTTP request; the answer's body may be streamed. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

/** The part of a `Response` that this program reads. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** Unpacked. */
  readonly body: ReadableStream<Uint8Array> | null;
}

/** The network, passed in so that tests and the simulator own it. */
export interface HttpClient {
  /**
   * Rejects only where no answer came, with a `ProxyError` where a proxy is at fault. A
   * redirect is not followed: proofs are bound to one host.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Sends all but the last bytes of the body, which leave once `end` resolves. */
  sendHeld(request: HttpRequest, end: Promise<void>): Promise<HttpResponse>;
}

/** Below the five seconds after which servers close what is idle: nothing is sent into a closing socket. */
const idleMsMax = 4_000;
const agentOptions = { keepAlive: true, timeout: idleMsMax };
const agent = new http.Agent(agentOptions);
const secureAgents = createSecureAgents(agentOptions, environment());

/** Each piece of a packed answer goes to another thread and back; Node's own size makes 64 of a page. */
const pieceBytes = 131_072;

/**
 * Node's HTTP, not its `fetch`: that unpacks in pieces of 16 KB and carries each through four
 * streams, which costs a first pull a tenth of its time.
 */
export const systemHttp: HttpClient = {
  send: async (request) => responseOf(await answerOf(request)),
  sendHeld: async (request, end) => responseOf(await answerOf(request, end)),
};

function responseOf(message: IncomingMessage): HttpResponse {
  const { statusCode: status = 0, headers } = message;
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
  // What a redirect says beside the address is for nobody, and it may be long.
  if (isRedirect) message.destroy();
  const hasBody = !isRedirect && status !== 204 && status !== 304;
  if (!hasBody) message.resume();
  return {
    status,
    headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
    body: hasBody ? (Readable.toWeb(unpacked(message)) as ReadableStream<Uint8Array>) : null,
  };
}

function answerOf(
  { url, method, headers, body, signal }: HttpRequest,
  end?: Promise<void>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, ...(end && lengthOf(body)), "accept-encoding": "gzip" },
      ...(signal === undefined ? {} : { signal }),
    };
    const sent = url.startsWith("https:")
      ? https.request(url, secureOptions(url, options))
      : http.request(url, { ...options, agent });
    sent.once("response", resolve);
    sent.on("error", reject);
    if (end === undefined || body === undefined) sent.end(body);
    else void sendHeld(sent, Buffer.from(body), end);
  });
}

function secureOptions(url: string, options: https.RequestOptions): TunnelOptions {
  return { ...options, agent: secureAgents(url), wanted: options.signal };
}

/** The end of a gzip is its sum and length: without it nothing of it is known to be right. */
const heldBytes = 8;

async function sendHeld(sent: ClientRequest, body: Buffer, end: Promise<void>): Promise<void> {
  const from = Math.max(0, body.length - heldBytes);
  sent.once("response", (message) => {
    // Who answered waits for no end: nobody may come to let it go, and the connection would stay.
    const giveUp = (): void => {
      if (!sent.writableEnded) sent.destroy();
    };
    message.once("end", giveUp).once("close", giveUp);
  });
  sent.write(body.subarray(0, from));
  await end;
  if (!sent.destroyed) sent.end(body.subarray(from));
}

/** Told beforehand, so that a body that was cut is none. */
function lengthOf(body: HttpRequest["body"]): { readonly "content-length": string } {
  return { "content-length": String(Buffer.byteLength(body ?? "")) };
}

function unpacked(message: IncomingMessage): Readable {
  if (message.headers["content-encoding"] !== "gzip") return message;
  // What breaks the answer off breaks the unpacked body off, which its reader is told.
  return pipeline(message, createGunzip({ chunkSize: pieceBytes }), () => undefined);
}
