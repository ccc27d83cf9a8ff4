import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { systemHttp } from "./http.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const url = "https://tidemark.example/v1/hello";

test("[AU58] a redirect is told, not followed: the proof names one host (abuse 183)", async () => {
  server.use(http.get(url, () => HttpResponse.redirect("https://elsewhere.example/", 302)));
  const answer = await systemHttp.send({ method: "GET", url, headers: {} });
  expect(answer).toMatchObject({ status: 302, body: null });
  expect(answer.headers.get("location")).toBe("https://elsewhere.example/");
});

test("[WR35] headers and bytes of a request go out as they were given", async () => {
  const body = Uint8Array.from([0, 1, 254, 255]);
  server.use(
    http.post(url, async ({ request }) => {
      const received = new Uint8Array(await request.arrayBuffer());
      return HttpResponse.json({ tag: request.headers.get("x-tag"), bytes: [...received] });
    }),
  );
  const answer = await systemHttp.send({ method: "POST", url, headers: { "x-tag": "t" }, body });
  expect(await new Response(answer.body).json()).toEqual({ tag: "t", bytes: [0, 1, 254, 255] });
});

test("[WR34] a request ends when its signal aborts", async () => {
  server.use(http.get(url, () => new Promise<never>(() => {})));
  const signal = AbortSignal.abort();
  await expect(systemHttp.send({ method: "GET", url, headers: {}, signal })).rejects.toThrow(
    /abort/i,
  );
});
