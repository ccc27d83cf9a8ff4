/** The real transport before every refusal that a server, a proxy or a portal can answer with. */
import { errorKinds, type ErrorCode, type ErrorFamily } from "@tidemark/protocol";
import { HttpResponse } from "msw";
import { afterAll, afterEach, expect, test } from "vitest";
import { createFaultyServer, htmlPage, position, problemOf } from "./testing/faulty-server.ts";

const server = createFaultyServer();
afterEach(() => server.reset());
afterAll(() => server.close());

/** Every call ends in this failure, and no lane gives the store anything. */
async function expectRefused(error: {
  readonly family: ErrorFamily;
  readonly code: string;
  readonly retryAfterMs?: number | undefined;
}): Promise<void> {
  for (const [call, answer] of Object.entries(await server.everyCall())) {
    const refused = { ok: false, error: { ...error, title: expect.any(String) } };
    expect({ call, answer }).toEqual({ call, answer: refused });
  }
  for (const exchanged of await server.everyLane()) {
    expect(exchanged).toMatchObject({ kind: "failed", failure: error });
  }
  expect(server.taken()).toEqual([]);
}

const strangers: Readonly<Record<string, readonly [() => Response, ErrorFamily, string]>> = {
  "200 with another program's JSON": [
    () => HttpResponse.text('{"status":"ok"}', { headers: { "content-type": "text/plain" } }),
    "retry",
    "not-tidemark",
  ],
  "200 with a captive portal's page": [() => htmlPage(200), "retry", "not-tidemark"],
  "200 without a content type": [
    () => new HttpResponse(new Uint8Array(3), { status: 200 }),
    "retry",
    "not-tidemark",
  ],
  "203 with a proxy's page": [() => htmlPage(203), "retry", "not-tidemark"],
  "204 with nothing": [() => new HttpResponse(null, { status: 204 }), "retry", "garbled"],
  "304 that nobody asked for": [() => new HttpResponse(null, { status: 304 }), "retry", "http-304"],
  "400 of a proxy": [() => htmlPage(400), "reject", "http-400"],
  "401 of a proxy": [() => htmlPage(401), "reject", "http-401"],
  "403 of a firewall": [() => htmlPage(403), "reject", "http-403"],
  "404 of another site": [() => htmlPage(404), "reject", "http-404"],
  "407 of a proxy that wants a login": [() => htmlPage(407), "reject", "http-407"],
  "408 of a proxy": [() => htmlPage(408), "retry", "http-408"],
  "425 too early": [() => htmlPage(425), "retry", "http-425"],
  "426 of a stranger": [() => htmlPage(426), "reject", "http-426"],
  "429 of a proxy": [() => htmlPage(429), "retry", "http-429"],
  "500 of a proxy": [() => htmlPage(500), "retry", "http-500"],
  "502 of a proxy": [() => htmlPage(502), "retry", "http-502"],
  "503 of a proxy": [() => htmlPage(503), "retry", "http-503"],
  "504 of a proxy": [() => htmlPage(504), "retry", "http-504"],
  "a problem document that is none": [
    () => problemOf("forbidden", { family: "delete-everything" }),
    "reject",
    "http-403",
  ],
  "a problem document inside a page": [
    () => HttpResponse.json({ code: "device-revoked", family: "auth" }, { status: 401 }),
    "reject",
    "http-401",
  ],
  "no connection": [() => HttpResponse.error(), "retry", "unreachable"],
};

for (const [name, [answer, family, code]] of Object.entries(strangers)) {
  test(`[WR30, WR36] ${name}: ${family}, and nothing is taken`, async () => {
    server.answer(answer);
    await expectRefused({ family, code });
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`[AU58, WR36] a redirect ${String(status)} to a login page is not followed, and told`, async () => {
    server.answer(({ request }) =>
      new URL(request.url).pathname === "/login"
        ? htmlPage(200)
        : new HttpResponse(null, { status, headers: { location: "/login" } }),
    );
    await expectRefused({ family: "retry", code: "redirected" });
    expect(server.paths.length).toBeGreaterThan(6);
    expect(server.paths).not.toContain("/login");
  });
}

/** These a lane answers by more than failing; they have tests of their own below. */
const handled = new Set<ErrorCode>(["invalid", "too-large", "writer-position", "writer-foreign"]);
const codes = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => !handled.has(code));

for (const code of codes) {
  const { status, family } = errorKinds[code];
  test(`[WR30] ${String(status)} ${code}: ${family}, and nothing is taken`, async () => {
    server.answer(() => problemOf(code));
    await expectRefused({ family, code });
  });
}

for (const code of ["invalid", "too-large"] as const) {
  test(`[EN8] a push refused as ${code} takes nothing and is halved`, async () => {
    server.answer(() => problemOf(code));
    const [push, pull] = await server.everyLane();
    expect(push).toEqual({
      kind: "push-answered",
      outcome: { kind: "refused", code, ops: 2, first: { writer: "writer", n: 1 } },
    });
    expect(pull).toMatchObject({ kind: "failed", failure: { family: "reject", code } });
    expect(server.taken()).toEqual([]);
  });
}

test("[EN32] a push that a proxy finds too large takes nothing and is halved", async () => {
  server.answer(() => htmlPage(413));
  const [push, pull] = await server.everyLane();
  expect(push).toEqual({
    kind: "push-answered",
    outcome: { kind: "refused", code: "too-large", ops: 2, first: { writer: "writer", n: 1 } },
  });
  expect(pull).toMatchObject({ kind: "failed", failure: { family: "reject", code: "http-413" } });
  expect(server.taken()).toEqual([]);
});

test("[EN32, EN23] a proxy that finds it too large and asks for patience is left alone as long", async () => {
  const headers = { "content-type": "text/html", "retry-after": "120" };
  server.answer(() => new HttpResponse("<html></html>", { status: 413, headers }));
  const [push] = await server.everyLane();
  const failure = { code: "http-413", retryAfterMs: 120_000 };
  expect(push).toMatchObject({ kind: "failed", lane: "push", failure });
});

test("[CH10] a push that does not follow takes the position and nothing else", async () => {
  server.answer(() => problemOf("writer-position", position));
  const [push, pull] = await server.everyLane();
  expect(push).toEqual({ kind: "push-answered", outcome: { kind: "position", hasMore: true } });
  expect(pull).toMatchObject({ kind: "failed", failure: { code: "writer-position" } });
  expect(server.taken()).toEqual(["takePosition ns_1"]);
});

test("[WR31] a writer-position without a position is not built on", async () => {
  server.answer(() => problemOf("writer-position", { ...position, chain: "short" }));
  const [push] = await server.everyLane();
  expect(push).toMatchObject({ kind: "failed", failure: { family: "heal" } });
  expect(server.taken()).toEqual([]);
});

test("[CH4] a writer of another device is judged as a cloned home, and no answer is taken", async () => {
  server.answer(() => problemOf("writer-foreign"));
  await server.everyLane();
  expect(server.taken()).toEqual(Array.from({ length: 3 }, () => "takePosition ns_1"));
});

const date = "Wed, 21 Oct 2026 07:28:00 GMT";
const minutes: Readonly<Record<string, readonly [Record<string, string>, number | undefined]>> = {
  seconds: [{ "retry-after": "7" }, 7_000],
  "no seconds at all": [{ "retry-after": "0" }, 0],
  "a date": [{ "retry-after": "Wed, 21 Oct 2026 07:30:00 GMT", date }, 120_000],
  "a date in the next year": [{ "retry-after": "Fri, 01 Jan 2027 00:00:00 GMT", date }, 3_600_000],
  "a date that has passed": [{ "retry-after": "Mon, 01 Jan 2001 00:00:00 GMT", date }, 0],
  "a date without the server's own": [{ "retry-after": date }, undefined],
  "a date of no calendar": [{ "retry-after": "Wed, 32 Oct 2026 07:30:00 GMT", date }, undefined],
  "more seconds than anybody waits": [{ "retry-after": "99999999999999999999" }, 3_600_000],
  "a negative number": [{ "retry-after": "-5" }, undefined],
  "a fraction": [{ "retry-after": "1.5" }, undefined],
  words: [{ "retry-after": "soon" }, undefined],
  "an empty header": [{ "retry-after": "" }, undefined],
};

for (const [name, [headers, retryAfterMs]] of Object.entries(minutes)) {
  test(`[WR37] Retry-After with ${name}, of a proxy and of the server`, async () => {
    const wanted = retryAfterMs === undefined ? {} : { retryAfterMs };
    for (const status of [429, 503]) {
      server.answer(() => htmlPage(status, headers));
      await expectRefused({ family: "retry", code: `http-${String(status)}`, ...wanted });
    }
    server.answer(() => problemOf("rate-limited", {}, headers));
    await expectRefused({ family: "retry", code: "rate-limited", ...wanted });
  });
}

test("[WR37] the delay in a problem document goes before the header's", async () => {
  server.answer(() => problemOf("unavailable", { retryAfterMs: 1_500 }, { "retry-after": "600" }));
  await expectRefused({ family: "retry", code: "unavailable", retryAfterMs: 1_500 });
});
