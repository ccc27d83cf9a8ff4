import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { connectionLimits, listen, type ConnectionLimits, type HttpServer } from "./http-server.ts";
import { exchange, statuses } from "./testing/raw-http.ts";
import { systemTimers } from "./timers.ts";

/** The server's limits with times that a test can wait for. */
const quick = {
  ...connectionLimits,
  headersTimeout: 150,
  requestTimeout: 300,
  keepAliveTimeout: 100,
  connectionsCheckingInterval: 25,
};
/** The same for those who behave: a busy machine must not cut them. */
const patient = { ...quick, headersTimeout: 10_000, requestTimeout: 10_000 };

let http: HttpServer | undefined;

afterEach(async () => {
  await http?.close(0);
  http = undefined;
});

async function serve(limits: ConnectionLimits, fetch = echo): Promise<number> {
  http = await listen(systemTimers, { host: "127.0.0.1", port: 0, limits }, async () =>
    Promise.resolve({ fetch }),
  );
  return http.port;
}

async function echo(request: Request): Promise<Response> {
  const body = await request.text();
  return Response.json({ body, headers: [...request.headers.keys()].length });
}

/** An answer without end; `sent` counts its pieces. */
function endless(): { fetch: () => Promise<Response>; sent: () => number; cut: Promise<void> } {
  let pieces = 0;
  let settle = (): void => {};
  const cut = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    pieces += 1;
    controller.enqueue(new Uint8Array(65_536));
  };
  const body = (): ReadableStream<Uint8Array> => new ReadableStream({ pull, cancel: settle });
  return { fetch: async () => Promise.resolve(new Response(body())), sent: () => pieces, cut };
}

/** A connection that is open; `ended` gives all it was sent once the server has closed it. */
async function open(port: number): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("utf8");
  });
  // A server that cuts may reset; what it said before counts.
  socket.on("error", () => {});
  await once(socket, "connect");
  return { socket, ended: once(socket, "close").then(() => answer) };
}

test("[OPS21] the limits of a connection are stated, and tighter than Node's own", () => {
  expect(connectionLimits).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 5_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16_384,
    maxHeadersCount: 64,
    maxConnections: 4_000,
    timeout: 120_000,
  });
});

test("[OPS21] a head that trickles in is cut, however busy its connection looks (abuse 130)", async () => {
  const { socket, ended } = await open(await serve(quick));
  socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n");
  const trickle = setInterval(() => socket.write("x-a: b\r\n"), 20);
  const answer = await ended;
  clearInterval(trickle);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("[OPS21] a body that trickles in is cut (abuse 130)", async () => {
  const { socket, ended } = await open(await serve(quick));
  socket.write("POST /v1/join HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n");
  const trickle = setInterval(() => socket.write("x"), 20);
  const answer = await ended;
  clearInterval(trickle);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("[OPS21] a connection that says nothing is closed (abuse 130)", async () => {
  const silent = await open(await serve(quick));
  expect(await silent.ended).toMatch(/^HTTP\/1\.1 408 /);
});

test("[OPS21] a connection that says nothing more after its answer is closed", async () => {
  const served = await open(await serve(patient));
  served.socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  expect(await served.ended).toMatch(/^HTTP\/1\.1 200 /);
});

test("[OPS21] a head that is too long is refused, and header fields beyond the limit are not read", async () => {
  const port = await serve(patient);
  const long = await open(port);
  long.socket.write(`GET / HTTP/1.1\r\nhost: a\r\nx-a: ${"x".repeat(20_000)}\r\n\r\n`);
  expect(await long.ended).toMatch(/^HTTP\/1\.1 431 /);
  const many = await open(port);
  const fields = Array.from({ length: 200 }, (_, at) => `x-${at}: b`).join("\r\n");
  many.socket.write(`GET / HTTP/1.1\r\nhost: a\r\n${fields}\r\n\r\n`);
  const count = Number(/"headers":(\d+)/.exec(await many.ended)?.[1]);
  expect(count).toBeGreaterThan(0);
  // Node takes them from its parser 32 at a time.
  expect(count).toBeLessThanOrEqual(quick.maxHeadersCount + 32);
});

test("[OPS21] beyond the number of connections a new one is turned away, and the old ones work on (abuse 130)", async () => {
  const port = await serve({ ...patient, maxConnections: 2 });
  const [first, second] = [await open(port), await open(port)];
  expect(await (await open(port)).ended).toBe("");
  for (const { socket, ended } of [first, second]) {
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test("[OPS21] who reads nothing of an answer is cut, and little was made for it (abuse 130, 131)", async () => {
  const { fetch, sent, cut } = endless();
  const { socket, ended } = await open(await serve({ ...patient, timeout: 150 }, fetch));
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await cut;
  // What lies between is the system's: a few MiB of buffers on either side.
  expect(sent()).toBeLessThan(1_000);
  socket.resume();
  await ended;
});

test("[OPS21] who reads an answer slowly is not cut (abuse 130)", async () => {
  const { fetch, sent } = endless();
  const { socket } = await open(await serve({ ...patient, timeout: 2_000 }, fetch));
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await once(socket, "data");
  const before = sent();
  while (sent() < before + 100) await once(socket, "data");
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});

test("[OPS33] of requests that a connection sends before its answer the next waits for nobody who went away (abuse 130)", async () => {
  const begun: string[] = [];
  let answer = (): void => {};
  const port = await serve(patient, async (request) => {
    begun.push(new URL(request.url).pathname);
    await new Promise<void>((resolve) => (answer = resolve));
    return new Response("answered");
  });
  const gone = await open(port);
  gone.socket.write("GET /1 HTTP/1.1\r\nhost: a\r\n\r\nGET /2 HTTP/1.1\r\nhost: a\r\n\r\n");
  await vi.waitUntil(() => begun.length === 1);
  gone.socket.destroy();
  await gone.ended;
  answer();
  const next = exchange(port, "GET /3 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  await vi.waitUntil(() => begun.includes("/3"));
  answer();
  expect(statuses(await next)).toEqual([200]);
  expect(begun).toEqual(["/1", "/3"]);
});

test("[OPS21, OPS33] a thousand requests sent at once are answered, each in its turn (abuse 130)", async () => {
  let inWork = 0;
  let inWorkMost = 0;
  const port = await serve(patient, async (request) => {
    inWork += 1;
    inWorkMost = Math.max(inWorkMost, inWork);
    await new Promise((resolve) => setImmediate(resolve));
    inWork -= 1;
    return new Response(`<${new URL(request.url).pathname}>`);
  });
  const paths = Array.from({ length: 1_000 }, (_, at) => `/${at}`);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n`);
  const answer = await exchange(port, `${requests.join("\r\n")}connection: close\r\n\r\n`);
  expect(statuses(answer)).toEqual(paths.map(() => 200));
  expect([...answer.matchAll(/<(.*)>/g)].map(([, path]) => path)).toEqual(paths);
  expect(inWorkMost).toBe(1);
});
