import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { systemHttp } from "./http.ts";

/** What came of each request, as a server of Node's sees it. */
interface Arrival {
  readonly length: string | undefined;
  bytes: number;
  how: "under way" | "whole" | "broken off";
}

const arrivals: Arrival[] = [];
let answerEarly: "not" | "refused" | "nothing to say" = "not";
const server = createServer((request: IncomingMessage, response) => {
  const arrival: Arrival = {
    length: request.headers["content-length"],
    bytes: 0,
    how: "under way",
  };
  arrivals.push(arrival);
  if (answerEarly === "refused") response.writeHead(429).end("slowly");
  if (answerEarly === "nothing to say") response.writeHead(204).end();
  request.on("data", (piece: Buffer) => (arrival.bytes += piece.byteLength));
  request.on("end", () => {
    arrival.how = "whole";
    response.end("taken");
  });
  request.on("close", () => {
    if (!request.complete) arrival.how = "broken off";
  });
  // Of a request that was answered Node tells no more itself.
  request.socket.once("close", () => {
    if (arrival.how === "under way") arrival.how = "broken off";
  });
  request.on("error", () => undefined);
});
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
});
beforeEach(() => {
  arrivals.length = 0;
  answerEarly = "not";
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const body = Uint8Array.from({ length: 300_000 }, (_, place) => place % 251);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test("[PS33] all of a body but its end arrives, and the rest once it is let go", async () => {
  let letGo = (): void => undefined;
  const end = new Promise<void>((resolve) => (letGo = resolve));
  const answer = systemHttp.sendHeld({ method: "POST", url, headers: {}, body }, end);
  await until(() => (arrivals[0]?.bytes ?? 0) >= body.length - 8);
  expect(arrivals).toEqual([{ length: "300000", bytes: 299_992, how: "under way" }]);
  letGo();
  expect(await new Response((await answer).body).text()).toBe("taken");
  expect(arrivals).toEqual([{ length: "300000", bytes: 300_000, how: "whole" }]);
});

test.each(["", "short", "eight ch"])(
  "[PS33] of a body of no more than its end nothing arrives before: %j",
  async (text) => {
    const held = systemHttp.sendHeld(
      { method: "POST", url, headers: {}, body: text },
      Promise.resolve(),
    );
    expect((await held).status).toBe(200);
    expect(arrivals).toEqual([{ length: String(text.length), bytes: text.length, how: "whole" }]);
  },
);

test("[PS33] a body whose end is not let go is broken off, and never whole", async () => {
  const stop = new AbortController();
  let letGo = (): void => undefined;
  const end = new Promise<void>((resolve) => (letGo = resolve));
  const { signal } = stop;
  const answer = systemHttp.sendHeld({ method: "POST", url, headers: {}, body, signal }, end);
  await until(() => (arrivals[0]?.bytes ?? 0) >= body.length - 8);
  stop.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  letGo();
  await until(() => arrivals[0]?.how !== "under way");
  expect(arrivals).toEqual([{ length: "300000", bytes: 299_992, how: "broken off" }]);
});

test.each([
  ["refused", 429],
  ["nothing to say", 204],
] as const)(
  "[EN19, PS33] who answers before the end is heard, and waits for it no longer: %s",
  async (early, status) => {
    answerEarly = early;
    let letGo = (): void => undefined;
    const end = new Promise<void>((resolve) => (letGo = resolve));
    const answer = await systemHttp.sendHeld({ method: "POST", url, headers: {}, body }, end);
    expect(answer.status).toBe(status);
    expect(await new Response(answer.body).text()).toBe(status === 204 ? "" : "slowly");
    const hasEnded = until(() => arrivals[0]?.how !== "under way");
    await Promise.race([hasEnded, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    expect(arrivals).toMatchObject([{ how: "broken off" }]);
    letGo();
  },
);
