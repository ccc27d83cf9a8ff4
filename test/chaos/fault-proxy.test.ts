import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFaultProxy, type FaultProxy } from "./fault-proxy.ts";

const answer = "x".repeat(10_000);
/** Far more than a request over the loopback address takes. */
const patienceMs = 1_500;

let upstream: Server;
let proxy: FaultProxy;
let arrived = 0;

beforeEach(async () => {
  arrived = 0;
  upstream = createServer((request, response) => {
    arrived += 1;
    request.resume();
    request.on("end", () => response.end(answer));
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  proxy = await openFaultProxy((upstream.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy.close();
  upstream.closeAllConnections();
  upstream.close();
});

/** A bare request: its body, or how it failed. */
async function ask(body?: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const request = body === undefined ? { signal } : { signal, method: "POST", body };
    return await (await fetch(proxy.url, request)).text();
  } catch (cause) {
    const { name, cause: why } = cause as { name: string; cause?: { code?: string } };
    return why?.code ?? name;
  }
}

async function askedIn(): Promise<number> {
  const started = performance.now();
  expect(await ask()).toBe(answer);
  return performance.now() - started;
}

test("[CX1] a proxy that passes changes nothing", async () => {
  expect([await ask(), await ask("y".repeat(300_000))]).toEqual([answer, answer]);
});

test("[CX1] a black hole makes a bare request time out, and lets the next one through when it ends", async () => {
  expect(await ask()).toBe(answer);
  await proxy.set({ kind: "blackhole" });
  expect([await ask(), arrived]).toEqual(["TimeoutError", 1]);
  await proxy.set({ kind: "pass" });
  expect(await ask()).toBe(answer);
  expect(proxy.met.get("blackhole")).toBeGreaterThan(0);
});

test("[CX1] half open: the request is done, its answer never comes", async () => {
  await proxy.set({ kind: "half-open" });
  expect([await ask("a"), arrived]).toEqual(["TimeoutError", 1]);
  await proxy.set({ kind: "pass" });
  expect(await ask()).toBe(answer);
});

test("[CX1] refused means refused, and the port is the same afterwards", async () => {
  await proxy.set({ kind: "refuse" });
  expect(await ask()).toBe("ECONNREFUSED");
  await proxy.set({ kind: "pass" });
  expect(await ask()).toBe(answer);
});

test("[CX1] a cut on the way up keeps the request from the server, one on the way down its answer", async () => {
  await proxy.set({ kind: "cut", direction: "up", afterBytes: 20 });
  expect(await ask()).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
  expect(arrived).toBe(0);
  await proxy.set({ kind: "cut", direction: "down", afterBytes: 500 });
  expect(await ask()).toMatch(/ECONNRESET|UND_ERR_SOCKET|TypeError|terminated/);
  expect(arrived).toBe(1);
});

test("[CX1] delay and throttle are slow, and whole", async () => {
  await proxy.set({ kind: "delay", ms: 150 });
  expect(await askedIn()).toBeGreaterThan(290);
  await proxy.set({ kind: "throttle", bytesPerSecond: 20_000 });
  expect(await askedIn()).toBeGreaterThan(400);
});
