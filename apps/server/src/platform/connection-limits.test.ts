import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { connectionLimits, listen, type ConnectionLimits, type HttpServer } from "./http-server.ts";
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

async function serve(limits: ConnectionLimits): Promise<number> {
  http = await listen(systemTimers, { host: "127.0.0.1", port: 0, limits }, async () =>
    Promise.resolve({
      fetch: async (request) => {
        const body = await request.text();
        return Response.json({ body, headers: [...request.headers.keys()].length });
      },
    }),
  );
  return http.port;
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
  });
});

test("[OPS21] a head that trickles in is cut, however busy its connection looks", async () => {
  const { socket, ended } = await open(await serve(quick));
  socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n");
  const trickle = setInterval(() => socket.write("x-a: b\r\n"), 20);
  const answer = await ended;
  clearInterval(trickle);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("[OPS21] a body that trickles in is cut", async () => {
  const { socket, ended } = await open(await serve(quick));
  socket.write("POST /v1/join HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n");
  const trickle = setInterval(() => socket.write("x"), 20);
  const answer = await ended;
  clearInterval(trickle);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("[OPS21] a connection that says nothing is closed", async () => {
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

test("[OPS21] beyond the number of connections a new one is turned away, and the old ones work on", async () => {
  const port = await serve({ ...patient, maxConnections: 2 });
  const [first, second] = [await open(port), await open(port)];
  expect(await (await open(port)).ended).toBe("");
  for (const { socket, ended } of [first, second]) {
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
  }
});
