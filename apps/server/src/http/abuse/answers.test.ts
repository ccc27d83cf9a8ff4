import { problemSchema } from "@tidemark/protocol/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, type HttpServer } from "../../platform/http-server.ts";
import { createLog } from "../../platform/log.ts";
import { exchange, statuses } from "../../platform/testing/raw-http.ts";
import { systemTimers } from "../../platform/timers.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { createTestClock } from "../../auth/testing/auth-deps.ts";
import { routeTable, type RouteRule } from "../route-table.ts";
import { ask, claimServer, outcome, type TestClient } from "../testing/client.ts";
import { bodyText, createHarness, type Harness } from "../testing/harness.ts";

let harness: Harness;
let owner: TestClient;
let http: HttpServer;
const lines: string[] = [];

beforeAll(async () => {
  const log = createLog({ level: "debug", write: (line) => lines.push(line) });
  harness = createHarness({ log });
  owner = await claimServer(harness);
  http = await listen(systemTimers, { host: "127.0.0.1", port: 0 }, async () =>
    Promise.resolve(harness.app),
  );
});

afterAll(async () => {
  await http.close(0);
});

/** Sends a request line and header fields to the socket as they are. */
async function raw(line: string, ...fields: readonly string[]): Promise<string> {
  const text = [line, ...fields, "connection: close"].join("\r\n");
  return await exchange(http.port, `${text}\r\n\r\n`);
}

const rules = Object.values<RouteRule>(routeTable);

function pathOf(rule: RouteRule): string {
  return rule.path.replaceAll(/:\w+/g, "some_id");
}

test("[WR16] line ends in what is sent never become lines of an answer (abuse 129)", async () => {
  const evil = "%0d%0aset-cookie:%20a=b%0d%0a%0d%0a<script>";
  for (const target of [
    `/v1/hello?a=${evil}`,
    `/${evil}`,
    `/v1/links/${evil}`,
    `/healthz${evil}`,
  ]) {
    const answer = await raw(`GET ${target} HTTP/1.1`, "host: a");
    expect(statuses(answer)).toHaveLength(1);
    expect(answer.toLowerCase()).not.toContain("set-cookie");
    expect(answer).not.toContain("script");
  }
  for (const name of ["a\r\nset-cookie: a=b", "a\nb", "a\rb"]) {
    const body = JSON.stringify({ name });
    const headers = { "content-type": "application/json" };
    const answer = await owner.send("/v1/namespaces", { method: "POST", body, headers });
    expect(await outcome(answer)).toBe("400 invalid");
  }
});

test.each([
  ["a bare line feed between fields", "GET /healthz HTTP/1.1\nhost: a\n\n"],
  ["a blank before the colon", "GET /healthz HTTP/1.1\r\nhost : a\r\n\r\n"],
  ["a folded field", "GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: b\r\n c: d\r\n\r\n"],
  ["a field without a name", "GET /healthz HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n"],
  ["NUL in a field", "GET /healthz HTTP/1.1\r\nhost: a\r\nx-a: \0\r\n\r\n"],
  ["no host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["another protocol", "GET /healthz HTTP/9.9\r\nhost: a\r\n\r\n"],
  ["no protocol", "\0\0\0\0\r\n\r\n"],
])("[OPS21] %s: no request (abuse 137)", async (_, text) => {
  const answer = await exchange(http.port, text);
  expect(statuses(answer)).toEqual([400]);
});

test("[WR16] no origin is let in, nor may credentials be sent from a page (abuse 133)", async () => {
  const origins = ["https://evil.example", "null", "https://sub.tidemark.example", harness.url];
  for (const origin of origins) {
    const asked = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, dpop, content-type",
      "access-control-request-private-network": "true",
    };
    for (const rule of rules) {
      for (const method of [rule.method, "OPTIONS"]) {
        const { headers } = await ask(harness, pathOf(rule), { method, headers: asked });
        const names = [...headers.keys()];
        expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
    }
  }
});

const leaks =
  /\bat \S+ \(|node_modules|\.ts\b|\.js\b|\/home\/|\/tmp\/|select |insert |postgres|hono|node|0\.0\.0-test|SyntaxError|ZodError|Unexpected|position \d/i;

/** Requests that go wrong in every way a route knows. */
async function wrongAnswers(server: Harness, client: TestClient): Promise<readonly Response[]> {
  const answers: Response[] = [];
  for (const rule of rules) {
    const path = pathOf(rule);
    const { method } = rule;
    const json = { "content-type": "application/json" };
    answers.push(await ask(server, path, { method, headers: { authorization: "DPoP a.b.c" } }));
    answers.push(await ask(server, path, { method, headers: { "tidemark-protocol": "x" } }));
    answers.push(await ask(server, path, { method: "PUT", body: "x" }));
    if (rule.body === null) answers.push(await client.send(path, { method }));
    else {
      for (const body of ["{", "[]", '{"a":1e999}', "\0"]) {
        answers.push(await client.send(path, { method, body, headers: json }));
      }
    }
  }
  return answers;
}

test("[WR11] no refusal says more than its problem document (abuse 134)", async () => {
  const answers = await wrongAnswers(harness, owner);
  const wrong = answers.filter(({ status }) => status >= 400);
  expect(wrong.length).toBeGreaterThan(100);
  const members = "type title status code family requestId retryAfterMs".split(" ");
  const known = new Set(members);
  for (const answer of wrong) {
    expect(answer.status).toBeLessThan(500);
    for (const name of ["server", "x-powered-by", "via"])
      expect(answer.headers.get(name)).toBeNull();
    const text = await bodyText(answer);
    const problem = problemSchema.parse(JSON.parse(text));
    expect(Object.keys(problem).filter((name) => !known.has(name))).toEqual([]);
    expect(text).not.toMatch(leaks);
  }
});

test("[WR11] a store that fails with everything it knows is told as a failure (abuse 134)", async () => {
  const cause = Object.assign(new Error('duplicate key "users_pkey" (name)=(ada) at /home/x.ts'), {
    detail: "select secret from users",
    where: "PL/pgSQL",
  });
  const store = createMemoryStore({ clock: createTestClock() });
  const fail = async (): Promise<never> => await Promise.reject(cause);
  const failing = Object.fromEntries(Object.keys(store.accounts).map((name) => [name, fail]));
  const accounts = { ...store.accounts };
  const noted: string[] = [];
  const log = createLog({ level: "debug", write: (line) => noted.push(line) });
  const broken = createHarness({ store: { ...store, accounts }, log });
  const client = await claimServer(broken);
  Object.assign(accounts, failing);
  const answer = await client.send("/v1/devices");
  expect(answer.status).toBe(500);
  const text = await bodyText(answer);
  expect(text).not.toMatch(leaks);
  expect(`${text}${noted.join("")}`).not.toMatch(/users_pkey|ada|secret|PL\/pgSQL/);
});

test("[OPS2] what a caller writes breaks no line of the log and fills none (abuse 135)", async () => {
  const nasty = '\u001b[2J\u009b31m","level":"fatal","event":"owned"}\u2028{"a":"';
  const before = lines.length;
  const hostile = {
    "user-agent": encodeURIComponent(nasty) + "A".repeat(8_000),
    "x-request-id": encodeURIComponent(nasty),
    "x-forwarded-for": "not an address, owned",
    referer: "https://a/owned",
  };
  for (const path of [`/v1/${encodeURIComponent(nasty)}`, `/v1/links/${"owned".repeat(1_500)}`]) {
    await ask(harness, path, { headers: hostile });
    await owner.send(path, { headers: hostile });
  }
  for (const name of [nasty, "owned\n{}", "owned".repeat(200_000)]) {
    const body = JSON.stringify({ name });
    const headers = { "content-type": "application/json", ...hostile };
    await owner.send("/v1/namespaces", { method: "POST", body, headers });
  }
  await raw("GET /healthz HTTP/1.1", "host: a", "x-forwarded-for: owned");
  const written = lines.slice(before);
  expect(written.length).toBeGreaterThan(0);
  for (const line of written) {
    expect(line.length).toBeLessThan(1_000);
    expect(line.trimEnd()).not.toContain("\n");
    const entry = JSON.parse(line) as Record<string, unknown>;
    expect(["info", "warn"]).toContain(entry["level"]);
    expect(line).not.toContain("owned");
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/);
  }
});

test("[WR15] nothing but the routes is served, and nothing beside the program (abuse 136)", async () => {
  const paths = `/metrics /debug /debug/pprof /status /server-status /.env /.git/config /main.js.map
    /dist/main.js /package.json /index.html /favicon.ico /admin /..%2f..%2fetc/passwd /%2e%2e/
    /v1/..%2fdevices /v1/devices%00 /v1/%64evices%2f /.well-known/ /v1/ /v2/hello /graphql
    /.well-known/openid-configuration`.split(/\s+/);
  for (const path of paths) {
    expect(await outcome(await ask(harness, path))).toBe("404 not-found");
    expect(await outcome(await owner.send(path))).toBe("404 not-found");
  }
});

test("[AU12] a device opens a stream a second, and goes on with the rest (abuse 131)", async () => {
  const local = createHarness();
  const client = await claimServer(local);
  const answers: string[] = [];
  for (let count = 0; count < 62; count += 1) {
    const answer = await client.send("/v1/pokes");
    answers.push(answer.status === 200 ? "200" : await outcome(answer));
    await answer.body?.cancel().catch(() => {});
  }
  expect(answers.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => "200"));
  expect(answers.slice(60)).toEqual(["429 rate-limited", "429 rate-limited"]);
  expect((await client.hello()).namespaces).toHaveLength(1);
});
