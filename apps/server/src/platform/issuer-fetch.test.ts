import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serverLimits } from "../limits.ts";
import { fetchFromIssuer, fetchFromProvider } from "./issuer-fetch.ts";

const { answerBytesMax } = serverLimits.issuers;
const asked: string[] = [];
const answers: Readonly<Record<string, RequestListener>> = {
  "/fits": (_, response) => response.end("x".repeat(answerBytesMax)),
  "/long": (_, response) => response.end("x".repeat(answerBytesMax + 1)),
  "/away": (_, response) => response.writeHead(302, { location: "/fits" }).end(),
  "/silent": () => undefined,
  // A byte now and then: it goes on for ever, and never stands still.
  "/drip": (_, response) => {
    const dripping = setInterval(() => response.write("x"), 200);
    response.on("close", () => {
      clearInterval(dripping);
    });
  },
};
const server = createServer((request, response) => {
  const path = request.url ?? "";
  asked.push(path);
  answers[path]?.(request, response);
});
let origin = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

const post = { method: "POST", headers: {}, body: "code=1" } as const;

test("[CO13] [PR18] an answer of one MiB is read, and one byte more is not", async () => {
  expect((await fetchFromIssuer(`${origin}/fits`)).text).toHaveLength(answerBytesMax);
  expect((await (await fetchFromProvider(`${origin}/fits`, post)).text()).length).toBe(
    answerBytesMax,
  );
  await expect(fetchFromIssuer(`${origin}/long`)).rejects.toThrow("too long");
  await expect(fetchFromProvider(`${origin}/long`, post)).rejects.toThrow("too long");
});

test("[CO13] [PR18] a redirect is not followed", async () => {
  asked.length = 0;
  await expect(fetchFromIssuer(`${origin}/away`)).rejects.toThrow("fetch failed");
  await expect(fetchFromProvider(`${origin}/away`, post)).rejects.toThrow("fetch failed");
  expect(asked).toEqual(["/away", "/away"]);
});

test("[CO13] [PR18] whoever says nothing, or a byte now and then, is given up in time", async () => {
  await Promise.all(
    ["/silent", "/drip"].map(async (path) => {
      await expect(fetchFromProvider(origin + path, post)).rejects.toThrow(
        "aborted due to timeout",
      );
    }),
  );
});
