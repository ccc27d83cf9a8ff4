import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { openSilentLine, type SilentLine } from "../../../../test/postgres/silent-line.ts";
import {
  claimServer,
  createTestWriter,
  push,
  type Server,
  type TestClient,
} from "../http/testing/client.ts";
import { createHarness, type Harness } from "../http/testing/harness.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { script } from "./assets/script.ts";
import { linkSecret, signInBrowser } from "./testing/browser.ts";

let stores: TestStores;
let line: SilentLine;
let harness: Harness;
let server: Server;
let owner: TestClient;
beforeAll(async () => {
  // What the stores go by is known once their database is there.
  const way: { url?: string } = {};
  stores = await createTestStores(() => ({ url: way.url ?? "" }));
  line = await openSilentLine(stores.appUrl);
  way.url = line.url;
  const clock = createTestClock();
  harness = createHarness({ clock, store: await stores.open(clock) });
  server = { ...harness, clock };
  owner = await claimServer(server);
});
afterAll(async () => {
  harness.app.close();
  await stores.drop();
});

/** What a page that is no page of the console's usual ones is and says. */
async function told(answer: Response): Promise<readonly [number, string, string]> {
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'");
  const page = await answer.text();
  const [, title = ""] = /<h1>([^<]*)<\/h1>/.exec(page) ?? [];
  return [answer.status, title, page];
}

/** What the page behind a sign-in link says in the end, by its own script. */
async function saidBySignIn(secret: string, isServerThere: boolean): Promise<string> {
  const state = { textContent: "" };
  const form = { action: `${server.url}/console/enter` };
  const own = new Map<string, object>([
    ["[data-enter]", form],
    ["[data-enter-state]", state],
  ]);
  const went: string[] = [];
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    if (!isServerThere) throw new TypeError("fetch failed");
    const headers = new Headers(init.headers);
    headers.set("origin", server.url);
    return await harness.app.fetch(new Request(url, { ...init, headers }));
  };
  runInNewContext(script, {
    URLSearchParams,
    fetch: ask,
    history: { replaceState: () => undefined },
    location: { hash: `#${secret}`, pathname: "/", replace: (to: string) => went.push(to) },
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    document: {
      documentElement: { dataset: {} },
      querySelector: (name: string) => own.get(name) ?? null,
      querySelectorAll: () => [],
      addEventListener: () => undefined,
    },
  });
  await expect
    .poll(() => [state.textContent, ...went].at(-1), { timeout: 20_000 })
    .not.toBe("Signing in…");
  return [state.textContent, ...went].at(-1) ?? "";
}

test("[OPS121] an error of the server is a page with the number under which its log has it", async () => {
  const browser = await signInBrowser(server, owner);
  await stores.admin`alter table tidemark.members rename to elsewhere`;
  const answer = await browser.get("/console/namespaces");
  await stores.admin`alter table tidemark.elsewhere rename to members`;
  const [status, title, page] = await told(answer);
  expect([status, title]).toEqual([500, "That did not work"]);
  const requestId = answer.headers.get("x-request-id") ?? "";
  expect(page).toContain(`under ${requestId}.`);
  expect(page).not.toContain("elsewhere");
  expect(harness.log.join("\n")).toContain(`request-failed {"requestId":"${requestId}"`);
});

test("[OPS124] a namespace that cannot be read now is told as that, and not as empty or missing", async () => {
  const team = (await owner.createNamespace("team")).id;
  const body = createTestWriter("writer_a").body(["alfa learned this"]);
  expect((await push(owner, team, body)).status).toBe(200);
  const browser = await signInBrowser(server, owner);
  const get = async (path: string): Promise<readonly [number, string]> => {
    const answer = await browser.get(path);
    return [answer.status, await answer.text()];
  };
  const many = ["/console", "/console/conflicts", "/console/activity", "/console/namespaces"];
  const single = [`/console/memory/${team}/writer_a-record-1`, `/console/namespaces/${team}`];
  const before = await Promise.all(many.map(get));
  const answers = await stores.admin.begin(async (tx) => {
    // As a change of the tables does, and a database with too much to do: all wait until their time is over.
    await tx`lock table tidemark.records, tidemark.writers in access exclusive mode`;
    return await Promise.all([...many, ...single].map(get));
  });
  const unread = "The database did not answer for 2 namespaces";
  for (const [, page] of before) expect(page).not.toContain(unread);
  for (const [at, path] of many.entries()) {
    const [status, page] = answers[at] ?? [0, ""];
    expect([path, status, page.includes(unread)]).toEqual([path, 200, true]);
    expect(page).not.toMatch(/Nobody disagrees|Nothing is remembered yet/);
  }
  expect(answers.slice(many.length).map(([status]) => status)).toEqual([503, 503]);
});

test("[OPS121] a database that does not answer is told by a page, and by the page behind a sign-in link", async () => {
  const browser = await signInBrowser(server, owner);
  const secret = await linkSecret(owner);
  await line.close();
  const [status, title, page] = await told(await browser.get("/console"));
  expect([status, title]).toEqual([503, "Not at the moment"]);
  expect(page).toContain("Reload this page in a moment.");
  const [formStatus, , formPage] = await told(
    await browser.post("/console/namespaces", { name: "new" }),
  );
  expect(formStatus).toBe(503);
  expect(formPage).toContain("may have been done or not");
  const notNow = "The server does not answer now. Wait a moment, then run tidemark console again.";
  expect(await saidBySignIn(secret, true)).toBe(notNow);
  expect(await saidBySignIn(secret, false)).toBe(notNow);
  expect(harness.log.join("\n")).toContain("store-unavailable");
});
