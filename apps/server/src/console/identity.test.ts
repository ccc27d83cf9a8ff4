import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestClock } from "../auth/testing/auth-deps.ts";
import { startTestProvider, type TestProvider } from "../auth/testing/test-provider.ts";
import {
  ask,
  claimServer,
  joinServer,
  type Server,
  type TestClient,
} from "../http/testing/client.ts";
import { createHarness, testUrls, type Harness } from "../http/testing/harness.ts";
import { serverLimits } from "../limits.ts";
import { fetchFromProvider } from "../platform/issuer-fetch.ts";
import { browserWith, signInBrowser, type TestBrowser } from "./testing/browser.ts";

const { flowMs, freshMs, idleMs } = serverLimits.console;
const redirectUri = `${testUrls[0]}/console/oidc/callback`;

let provider: TestProvider;
let clock: TestClock;
let harness: Harness;
let server: Server;
let owner: TestClient;
beforeEach(async () => {
  provider = await startTestProvider([redirectUri]);
  harness = createHarness({ oidc: oidcOf(provider) });
  ({ clock } = harness);
  // The provider has no clock but the machine's.
  clock.advance(Date.now() - clock.nowMs());
  server = { ...harness, clock };
  owner = await claimServer(server, "alfa");
});
afterEach(async () => {
  harness.app.close();
  await provider.close();
});

const oidcOf = ({ settings }: TestProvider) => ({ settings, fetch: fetchFromProvider });

/** A sign-in that a browser has begun: where it was sent, and the cookie that it keeps. */
interface Begun {
  readonly address: string;
  readonly cookie: string;
}

async function begunBy(answer: Response): Promise<Begun> {
  expect(answer.status).toBe(200);
  const address = /content="0; url=([^"]+)"/.exec(await answer.text())?.[1] ?? "";
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-tidemark-oidc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/);
  expect(cookie).toMatch(/; Max-Age=600; Secure$/);
  return { address: address.replaceAll("&amp;", "&"), cookie: cookie.split(";")[0] ?? "" };
}

async function begin(at: Server = server): Promise<Begun> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    origin: at.url,
  };
  return await begunBy(await ask(at, "/console/oidc", { method: "POST", headers, body: "" }));
}

/** Comes back from the provider, with a cookie. */
async function comeBack(address: string, cookie: string, at: Server = server): Promise<Response> {
  const { pathname, search } = new URL(address);
  return await ask(at, pathname + search, {
    headers: { cookie, "sec-fetch-site": "cross-site" },
    redirect: "manual",
  });
}

/** The whole way, as somebody. */
async function signInAs(login: string): Promise<Response> {
  const { address, cookie } = await begin();
  return await comeBack(await provider.signIn(address, login), cookie);
}

function sessionOf(answer: Response): string | undefined {
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("__Host-tidemark="));
  return cookie?.split(";")[0];
}

/** Connects an account from a device's session. */
async function connect(browser: TestBrowser, login: string): Promise<Response> {
  const { address, cookie } = await begunBy(await browser.post("/console/identity", {}));
  return await comeBack(await provider.signIn(address, login), cookie);
}

async function connected(client: TestClient, login: string): Promise<TestBrowser> {
  const browser = await signInBrowser(server, client);
  expect((await connect(browser, login)).status).toBe(200);
  return browser;
}

async function colleague(): Promise<TestClient> {
  const team = (await owner.createNamespace("harbour")).id;
  const link = await owner.createLink({ kind: "invite", namespace: team, role: "reader" });
  return await joinServer(server, link, "dana");
}

describe("signing in by a provider", () => {
  test("[CO10] [CO11] what a person connected signs them in, as themselves, with their rights", async () => {
    await connected(owner, "sub-alfa");
    const answer = await signInAs("sub-alfa");
    expect(answer.status).toBe(200);
    const browser = await browserWith(server, sessionOf(answer) ?? "");
    const page = await (await browser.get("/console")).text();
    expect(page).toContain("<bdi>alfa</bdi>");
    expect((await browser.get("/console/audit?of=server")).status).toBe(200);
    const made = await browser.post("/console/namespaces", { name: "made by a browser" });
    expect(made.status).toBe(303);
    const told = await (await browser.get("/console/audit")).text();
    expect(told).toMatch(/identity.connected/i);
    expect(told).not.toContain("sub-alfa");
    expect(harness.log.join("\n")).not.toContain("sub-alfa");
  });

  test("[CO10] a sign-in that one replica began ends on another, once", async () => {
    await connected(owner, "sub-alfa");
    const there = createHarness({ clock, store: harness.store, oidc: oidcOf(provider) });
    const replica = { ...there, clock };
    const { address, cookie } = await begin();
    const back = await provider.signIn(address, "sub-alfa");
    const answers = await Promise.all([
      comeBack(back, cookie, replica),
      comeBack(back, cookie),
      comeBack(back, cookie, replica),
    ]);
    there.app.close();
    const statuses = answers.map(({ status }) => String(status));
    expect(statuses.toSorted((left, right) => (left < right ? -1 : 1)).join()).toBe("200,400,400");
    const session = answers.map((answer) => sessionOf(answer)).find((one) => one !== undefined);
    expect((await (await browserWith(server, session ?? "")).get("/console")).status).toBe(200);
  });

  test.each(["client_secret_post", "none"] as const)(
    "[CO13] a provider that knows its clients by %s is one as well",
    async (proof) => {
      const other = await startTestProvider([redirectUri], proof);
      const there = createHarness({ clock, store: harness.store, oidc: oidcOf(other) });
      const its = { ...there, clock };
      const { address, cookie } = await begin(its);
      const answer = await comeBack(await other.signIn(address, "sub-alfa"), cookie, its);
      there.app.close();
      await other.close();
      // The code was redeemed, and is of somebody whom nobody has connected.
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining("connected to nobody"),
      ]);
    },
  );

  test("[CO10] somebody who is connected to nobody gets nothing, and nothing is made of it", async () => {
    const answer = await signInAs("sub-stranger");
    expect(answer.status).toBe(403);
    expect(sessionOf(answer)).toBeUndefined();
    const page = await answer.text();
    expect(page).toContain("connected to nobody");
    expect(page).toContain("tidemark console");
    expect(await harness.store.accounts.devices(owner.admission.device.id)).toHaveLength(1);
  });

  test("[CO11] an account is one person's, and a person has one; what is another's tells nothing", async () => {
    await connected(owner, "sub-alfa");
    const dana = await signInBrowser(server, await colleague());
    const taken = await connect(dana, "sub-alfa");
    expect(taken.status).toBe(409);
    expect(await taken.text()).not.toContain("alfa");
    expect((await connect(dana, "sub-dana")).status).toBe(200);
    expect((await connect(dana, "sub-other")).status).toBe(409);
    expect((await signInAs("sub-other")).status).toBe(403);
  });

  test("[CO11] connecting wants a fresh session of a device", async () => {
    const browser = await connected(owner, "sub-alfa");
    const byProvider = await browserWith(server, sessionOf(await signInAs("sub-alfa")) ?? "");
    expect((await byProvider.post("/console/identity", {})).status).toBe(403);
    clock.advance(freshMs + 1);
    expect((await browser.post("/console/identity", {})).status).toBe(403);
    const stale = await byProvider.post("/console/identity/disconnect", {});
    expect(stale.status).toBe(403);
    expect(await stale.text()).toContain("Sign in by");
  });

  test("[CO12] a session ends with its account's connection, when it is idle, and when the server knows the provider no more", async () => {
    const device = await connected(owner, "sub-alfa");
    const opened = async () =>
      await browserWith(server, sessionOf(await signInAs("sub-alfa")) ?? "");
    const browser = await opened();
    const without = { ...createHarness({ clock, store: harness.store }), clock };
    const elsewhere = await ask(without, "/console", {
      headers: { cookie: browser.cookie },
      redirect: "manual",
    });
    expect(elsewhere.status).toBe(303);
    expect((await browser.get("/console")).status).toBe(200);
    expect((await device.post("/console/identity/disconnect", {})).status).toBe(303);
    expect((await browser.get("/console")).headers.get("location")).toBe("/console/enter");
    expect((await signInAs("sub-alfa")).status).toBe(403);
    expect((await device.get("/console")).status).toBe(200);
    expect((await connect(device, "sub-alfa")).status).toBe(200);
    const again = await opened();
    clock.advance(idleMs);
    expect((await again.get("/console")).status).toBe(303);
  });

  test("[CO12] it is no device: in no list, no last one, and it never gets a token", async () => {
    const browser = await connected(owner, "sub-alfa");
    const { accounts } = harness.store;
    const own = owner.admission.device.id;
    expect((await accounts.devices(own)).map(({ id }) => id)).toEqual([own]);
    expect((await browser.post(`/console/devices/${own}/revoke`, {})).status).toBe(409);
    const hash = sessionOf(await signInAs("sub-alfa"))?.split("=")[1] ?? "";
    const session = await accounts.consoleSession(
      Buffer.from(harness.deps.sha256(hash)).toString("base64url"),
      clock.nowMs(),
    );
    expect(session?.issuer).toBe(provider.settings.issuer);
    expect(session === undefined || (await accounts.device(session.device.id))).toBeUndefined();
  });

  test("[CO13] a provider that does not answer is a page, and is left alone for a while", async () => {
    await provider.close();
    const post = async () =>
      await ask(server, "/console/oidc", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", origin: server.url },
        body: "",
      });
    const answer = await post();
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("does not answer");
    const before = provider.asked.length;
    expect((await post()).status).toBe(503);
    expect(provider.asked).toHaveLength(before);
  });
});

describe("what proves nothing", () => {
  test("[CO10] abuse 99: an e-mail address, a name, or the same subject elsewhere is nobody", async () => {
    provider.claims.set("sub-alfa", { email: "alfa@example.com", preferred_username: "alfa" });
    await connected(owner, "sub-alfa");
    for (const email_verified of [false, undefined, "true", true]) {
      provider.claims.set("sub-thief", {
        email: "alfa@example.com",
        email_verified,
        preferred_username: "alfa",
        iss: provider.settings.issuer,
        name: "alfa",
      });
      const answer = await signInAs("sub-thief");
      expect([email_verified, answer.status]).toEqual([email_verified, 403]);
      expect(sessionOf(answer)).toBeUndefined();
      expect(await answer.text()).not.toContain("alfa");
    }
    provider.claims.set("sub-alfa", { email: "new@example.com", preferred_username: "beta" });
    expect((await signInAs("sub-alfa")).status).toBe(200);

    const other = await startTestProvider([redirectUri]);
    const there = createHarness({ clock, store: harness.store, oidc: oidcOf(other) });
    const its = { ...there, clock };
    const { address, cookie } = await begin(its);
    const answer = await comeBack(await other.signIn(address, "sub-alfa"), cookie, its);
    there.app.close();
    await other.close();
    expect([answer.status, sessionOf(answer)]).toEqual([403, undefined]);
  });

  test("[CO10] abuse 100: a missing or foreign state, another browser, and a code that was used are refused", async () => {
    await connected(owner, "sub-alfa");
    const { address, cookie } = await begin();
    const back = await provider.signIn(address, "sub-alfa");
    const foreign = await begin();
    const changed = (name: string, value?: string): string => {
      const url = new URL(back);
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      return url.href;
    };
    const foreignState = new URL(foreign.address).searchParams.get("state") ?? "";
    const tries = [
      [changed("state"), cookie],
      [changed("state", "x".repeat(43)), cookie],
      [changed("state", foreignState), cookie],
      [`${back}&state=${foreignState}`, cookie],
      [back, ""],
      [back, foreign.cookie],
      [back, `__Host-tidemark-oidc=${"A".repeat(43)}`],
      // A code of somebody else's sign-in, in the browser of another.
      [changed("state", foreignState), foreign.cookie],
    ] as const;
    for (const [at, held] of tries) {
      const answer = await comeBack(at, held);
      expect([answer.status, sessionOf(answer)]).toEqual([400, undefined]);
    }
    // None of that was the browser that began: it goes on.
    expect((await comeBack(back, cookie)).status).toBe(200);
    const whole = await begin();
    const good = await provider.signIn(whole.address, "sub-alfa");
    expect((await comeBack(good, whole.cookie)).status).toBe(200);
    expect((await comeBack(good, whole.cookie)).status).toBe(400);
    expect(harness.log.join("\n")).not.toContain(new URL(good).searchParams.get("code"));
  });

  test("[CO10] abuse 100: a wrong nonce, a mixed-up issuer, and a sign-in that is too old are refused", async () => {
    await connected(owner, "sub-alfa");
    const replaced = async (name: string): Promise<Response> => {
      const { address, cookie } = await begin();
      const url = new URL(address);
      url.searchParams.set(name, "x".repeat(43));
      return await comeBack(await provider.signIn(url.href, "sub-alfa"), cookie);
    };
    expect((await replaced("nonce")).status).toBe(400);
    expect((await replaced("code_challenge")).status).toBe(400);
    for (const iss of ["https://evil.example", undefined]) {
      const mixed = await begin();
      const url = new URL(await provider.signIn(mixed.address, "sub-alfa"));
      if (iss === undefined) url.searchParams.delete("iss");
      else url.searchParams.set("iss", iss);
      expect((await comeBack(url.href, mixed.cookie)).status).toBe(400);
    }
    const late = await begin();
    const back = await provider.signIn(late.address, "sub-alfa");
    clock.advance(flowMs);
    const answer = await comeBack(back, late.cookie);
    expect([answer.status, sessionOf(answer)]).toEqual([400, undefined]);
  });
});
