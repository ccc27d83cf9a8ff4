import { limits, type NamespaceId } from "@tidemark/protocol";
import { ndjsonType } from "@tidemark/protocol/wire";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HttpServer } from "../../platform/http-server.ts";
import { exchange, statuses } from "../../platform/testing/raw-http.ts";
import {
  createTestWriter,
  outcome,
  push,
  signedHeadersFor,
  type TestClient,
} from "../testing/client.ts";
import type { Harness } from "../testing/harness.ts";
import { listenClaimed, type Listening } from "../testing/listening.ts";

let harness: Harness;
let owner: TestClient;
let personal: NamespaceId;
let http: HttpServer;
let head: Listening["head"];

beforeAll(async () => {
  ({ harness, owner, personal, http, head } = await listenClaimed());
});

afterAll(async () => {
  await http.close(0);
});

/** The head of a push with right credentials and the header fields that a test is about. */
async function pushHead(...fields: readonly string[]): Promise<string> {
  const path = `/v1/namespaces/${personal}/ops`;
  const signed = await signedHeadersFor(harness, owner, path, { method: "POST" });
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: a",
    `content-type: ${ndjsonType}`,
    ...Object.entries(signed).map(([name, value]) => `${name}: ${value}`),
    ...fields,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

test("[WR12] a body may have as many bytes as its route takes, and not one more (abuse 109)", async () => {
  for (const [size, answer] of [
    [limits.pushBytesMax, "400 invalid"],
    [limits.pushBytesMax + 1, "413 too-large"],
  ] as const) {
    const body = "x".repeat(size);
    expect(await outcome(await push(owner, personal, body))).toBe(answer);
    const packed = Uint8Array.from(gzipSync(body));
    const gzip = { "content-encoding": "gzip" };
    expect(await outcome(await push(owner, personal, packed, gzip))).toBe(answer);
    const sent = await exchange(
      http.port,
      (await pushHead(`content-length: ${size}`, "connection: close")) + body,
    );
    expect(statuses(sent)).toEqual([Number(answer.slice(0, 3))]);
  }
});

test("[WR12] a body that says it is too long is refused before any of it came (abuse 109)", async () => {
  const text = await pushHead(`content-length: ${limits.pushBytesMax + 1}`, "connection: close");
  expect(statuses(await exchange(http.port, text))).toEqual([413]);
});

test("[WR12] a chunked body without end is cut, however much is sent after (abuse 109)", async () => {
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const text = (await pushHead("transfer-encoding: chunked")) + chunk.repeat(200);
  // No last chunk and no "connection: close": the server ends it by itself.
  expect(statuses(await exchange(http.port, text))).toEqual([413]);
});

test.each([
  ["two lengths", ["content-length: 4", "content-length: 5"]],
  ["two lengths in one field", ["content-length: 4, 5"]],
  ["a length and chunks", ["content-length: 4", "transfer-encoding: chunked"]],
  ["chunks and a length", ["transfer-encoding: chunked", "content-length: 4"]],
  ["a length that is no number", ["content-length: 4x"]],
  ["a negative length", ["content-length: -1"]],
  ["a length with a sign", ["content-length: +4"]],
  ["a length beyond all numbers", ["content-length: 99999999999999999999"]],
  ["a coding that is not chunks", ["transfer-encoding: gzip"]],
  ["a coding after chunks", ["transfer-encoding: chunked, gzip"]],
  ["chunks in disguise", ["transfer-encoding: xchunked"]],
  ["chunks twice", ["transfer-encoding: chunked", "transfer-encoding: identity"]],
])("[OPS21] %s: no request (abuse 109, 137)", async (_, fields) => {
  const before = await head();
  const text = (await pushHead(...fields)) + "0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
  const answer = await exchange(http.port, text);
  expect(statuses(answer)).toEqual([400]);
  expect(await head()).toBe(before);
});

test("[OPS21] a length below what is sent makes the rest a request, which is none (abuse 109)", async () => {
  const body = createTestWriter("writer_short").body(["one"]);
  const text = (await pushHead(`content-length: 10`)) + body;
  expect(statuses(await exchange(http.port, text))).toEqual([400]);
});

test("[WR12] what unpacks to more than the limit is cut there, packed twice it is no text (abuse 110)", async () => {
  const bomb = gzipSync(Buffer.alloc(100_000_000));
  expect(bomb.byteLength).toBeLessThan(110_000);
  const gzip = { "content-encoding": "gzip" };
  const before = process.memoryUsage().arrayBuffers;
  expect(await outcome(await push(owner, personal, Uint8Array.from(bomb), gzip))).toBe(
    "413 too-large",
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_048_576);
  const twice = Uint8Array.from(gzipSync(gzipSync(createTestWriter("writer_twice").body(["one"]))));
  expect(await outcome(await push(owner, personal, twice, gzip))).toBe("400 invalid");
  const cut = Uint8Array.from(bomb.subarray(0, 50_000));
  expect(["400 invalid", "413 too-large"]).toContain(
    await outcome(await push(owner, personal, cut, gzip)),
  );
});
