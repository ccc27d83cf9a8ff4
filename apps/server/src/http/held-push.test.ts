/** Pushes whose end comes late, on real connections. */
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { NamespaceId } from "@tidemark/protocol";
import { ndjsonType } from "@tidemark/protocol/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SecretCheck } from "../domain/sync-deps.ts";
import { serverLimits } from "../limits.ts";
import { listen, type HttpServer } from "../platform/http-server.ts";
import { createSecretCheck } from "../platform/secret-look/secret-check.ts";
import { statuses } from "../platform/testing/raw-http.ts";
import { systemTimers } from "../platform/timers.ts";
import { createTestWriter, push, signedHeadersFor, type TestClient } from "./testing/client.ts";
import type { Harness } from "./testing/harness.ts";
import { listenClaimed, type Listening } from "./testing/listening.ts";

let harness: Harness;
let owner: TestClient;
let personal: NamespaceId;
let http: HttpServer;
let head: Listening["head"];

/** What became of each look for secrets. */
const looks: string[] = [];
const secrets = createSecretCheck();
const watched: SecretCheck = {
  ...secrets,
  look: (lines) => {
    const look = secrets.look(lines);
    const drop = (): void => {
      looks.push("dropped");
      look.drop();
    };
    return { end: () => (looks.push("ended"), look.end()), drop };
  },
};

beforeAll(async () => {
  ({ harness, owner, personal, http, head } = await listenClaimed({ secrets: watched }));
});

afterAll(async () => {
  await http.close(0);
});

const titles = Array.from({ length: 300 }, (_, place) => `note ${String(place)}`);
const heldBytes = 8;

/** A push on a connection of its own: all of it but its end has left. */
async function begin(body: string, bytesAtOnce = Infinity, { port } = http): Promise<Socket> {
  const path = `/v1/namespaces/${personal}/ops`;
  const packed = gzipSync(body);
  const bh = createHash("sha256").update(packed).digest("base64url");
  const signed = await signedHeadersFor(harness, owner, path, {
    method: "POST",
    proof: ({ header, claims }) => ({ header, claims: { ...claims, bh } }),
  });
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: a",
    "connection: close",
    `content-type: ${ndjsonType}`,
    "content-encoding: gzip",
    `content-length: ${String(packed.length)}`,
    ...Object.entries(signed).map(([name, value]) => `${name}: ${value}`),
  ];
  const socket = connect(port, "127.0.0.1");
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  for (let from = 0; from < packed.length - heldBytes; from += bytesAtOnce) {
    const to = Math.min(from + bytesAtOnce, packed.length - heldBytes);
    await new Promise((resolve) => socket.write(packed.subarray(from, to), resolve));
  }
  ends.set(socket, packed.subarray(-heldBytes));
  return socket;
}

const ends = new WeakMap<Socket, Uint8Array>();

/** Lets other bytes of the same length be the end, where they are given. */
async function end(socket: Socket, bytes = ends.get(socket)): Promise<readonly number[]> {
  return await new Promise((resolve) => {
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("utf8")));
    socket.on("close", () => {
      resolve(statuses(answer));
    });
    socket.write(bytes ?? "");
  });
}

/** Long enough for the server to have read what has left: it answers others that came later. */
async function readAll(): Promise<void> {
  for (let asked = 0; asked < 20; asked += 1) await head();
}

test("[PS33, PS34] of a push whose end has not come nothing is stored, and all of it once it comes", async () => {
  const before = await head();
  const socket = await begin(createTestWriter("writer_held").body(titles));
  await readAll();
  expect(await head()).toBe(before);
  expect(await end(socket)).toEqual([200]);
  expect(await head()).toBe(before + titles.length);
});

test("[PS33] a push that is broken off before its end leaves nothing, and may come again", async () => {
  const before = await head();
  const body = createTestWriter("writer_broken").body(titles);
  const socket = await begin(body);
  await readAll();
  socket.destroy();
  await readAll();
  expect(await head()).toBe(before);
  expect(await end(await begin(body))).toEqual([200]);
  expect(await head()).toBe(before + titles.length);
});

test("[PS33] a push that is broken off is no failure of the server's, as often as it happens", async () => {
  const logged = harness.log.length;
  const count = serverLimits.readAhead.deviceMax + 2;
  for (let at = 0; at < count; at += 1) {
    const socket = await begin(createTestWriter(`writer_off_${String(at)}`).body(titles));
    await readAll();
    socket.destroy();
    await readAll();
  }
  const told = harness.log.slice(logged).filter((line) => line.includes('"push"'));
  expect(told).toHaveLength(count);
  for (const line of told) expect(line).toContain('"status":400,');
  expect(harness.log.slice(logged).filter((line) => line.startsWith("request-failed"))).toEqual([]);
});

test("[PS34] what was read of a push counts for nothing where its end is wrong", async () => {
  const before = await head();
  const body = createTestWriter("writer_other").body(titles);
  expect(await end(await begin(body), Buffer.alloc(heldBytes))).toEqual([400]);
  expect(await head()).toBe(before);
  expect(await end(await begin(body))).toEqual([200]);
});

test("[PS34] of a push that ends wrong, or not at all, no look for secrets goes on", async () => {
  const body = createTestWriter("writer_look").body(titles);
  looks.length = 0;
  const wrong = await begin(body);
  await readAll();
  expect(await end(wrong, Buffer.alloc(heldBytes))).toEqual([400]);
  expect(looks).toEqual(["dropped"]);
  const socket = await begin(body);
  await readAll();
  socket.destroy();
  await readAll();
  expect(looks).toEqual(["dropped", "dropped"]);
  expect(await end(await begin(body))).toEqual([200]);
  expect(looks.slice(2).every((look) => look === "ended")).toBe(true);
});

test("[PS33] two pushes of one writer, the second held until the first is answered", async () => {
  const before = await head();
  const writer = createTestWriter("writer_two");
  const [first, second] = [writer.body(titles), writer.body(titles)];
  const socket = await begin(first);
  const held = await begin(second);
  await readAll();
  expect(await end(socket)).toEqual([200]);
  expect(await head()).toBe(before + titles.length);
  expect(await end(held)).toEqual([200]);
  expect(await head()).toBe(before + 2 * titles.length);
});

test("[PS33] an end that leaves too early is told where the writer stands, and stores nothing", async () => {
  const before = await head();
  const writer = createTestWriter("writer_early");
  writer.body(titles);
  expect(await end(await begin(writer.body(titles)))).toEqual([409]);
  expect(await head()).toBe(before);
});

test("[PS34] of more held pushes than there is room for each is taken once its end comes", async () => {
  const before = await head();
  const count = serverLimits.readAhead.deviceMax + 2;
  const bodies = Array.from({ length: count }, (_, place) =>
    createTestWriter(`writer_room_${String(place)}`).body(titles),
  );
  const sockets = [];
  for (const body of bodies) sockets.push(await begin(body));
  await readAll();
  for (const socket of sockets) expect(await end(socket)).toEqual([200]);
  expect(await head()).toBe(before + count * titles.length);
});

test("[PS34] a body that comes byte by byte is the one that was sent", async () => {
  const before = await head();
  const socket = await begin(createTestWriter("writer_bytes").body(titles), 1);
  expect(await end(socket)).toEqual([200]);
  expect(await head()).toBe(before + titles.length);
});

/** A second door to the same server, which a test may close. */
async function openDoor(): Promise<HttpServer> {
  return await listen(systemTimers, { host: "127.0.0.1", port: 0 }, () =>
    Promise.resolve(harness.app),
  );
}

test("[OPS22, PS33] a server that drains takes a held push whose end comes while it does", async () => {
  const before = await head();
  const door = await openDoor();
  const socket = await begin(createTestWriter("writer_drained").body(titles), Infinity, door);
  await readAll();
  let isClosed = false;
  const closing = door.close(600_000).then(() => (isClosed = true));
  await readAll();
  expect(isClosed).toBe(false);
  expect(await end(socket)).toEqual([200]);
  await closing;
  expect(await head()).toBe(before + titles.length);
});

test("[OPS22, PS33] a drain ends held pushes that do not, stores nothing of them, and fails in nothing", async () => {
  const before = await head();
  const logged = harness.log.length;
  looks.length = 0;
  const door = await openDoor();
  const bodies = Array.from({ length: serverLimits.readAhead.deviceMax + 2 }, (_, place) =>
    createTestWriter(`writer_cut_${String(place)}`).body(titles),
  );
  const ended = [];
  for (const body of bodies) {
    const socket = await begin(body, Infinity, door);
    socket.on("error", () => undefined);
    ended.push(new Promise((resolve) => socket.once("close", resolve)));
  }
  await readAll();
  await door.close(0);
  await Promise.all(ended);
  await readAll();
  expect(await head()).toBe(before);
  expect(looks).toEqual(Array.from({ length: serverLimits.readAhead.deviceMax }, () => "dropped"));
  expect(harness.log.slice(logged).filter((line) => line.startsWith("request-failed"))).toEqual([]);
  for (const body of bodies) expect((await push(owner, personal, body)).status).toBe(200);
  expect(await head()).toBe(before + bodies.length * titles.length);
});
