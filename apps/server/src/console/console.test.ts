import { limits, type NamespaceId } from "@tidemark/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import {
  ask,
  claimServer,
  createTestWriter,
  joinServer,
  push,
  signIn,
  type Server,
  type TestClient,
} from "../http/testing/client.ts";
import { crowdedServer } from "../http/testing/crowded.ts";
import { createHarness, type Harness } from "../http/testing/harness.ts";
import { pollAnswer, pollCode, showCode } from "../http/testing/pairing.ts";
import { createSealed, pushPut } from "../http/testing/sealed-world.ts";
import { serverLimits } from "../limits.ts";
import { revision } from "../store/testing/contract-rows.ts";
import { pageTable, type PageName, type PageRule } from "./page-table.ts";
import {
  browserWith,
  linkSecret,
  openLink,
  signInBrowser,
  type TestBrowser,
} from "./testing/browser.ts";

const { freshMs, idleMs } = serverLimits.console;
const quarterMs = 16 * 60_000;

let harness: Harness;
let server: Server;
let owner: TestClient;
let team: NamespaceId;
beforeEach(async () => {
  harness = createHarness();
  server = { ...harness, clock: harness.clock };
  owner = await claimServer(server, "alfa");
  team = (await owner.createNamespace("alfa harbour")).id;
  const body = createTestWriter("writer_a").body(["alfa learned <b>this</b>"]);
  expect((await push(owner, team, body)).status).toBe(200);
});

async function member(name: string, role?: string): Promise<TestClient> {
  const invite = await owner.createLink({
    kind: "invite",
    namespace: team,
    role: role ?? "reader",
  });
  return await joinServer(server, invite, name);
}

/** A person of the server who is in no team. */
async function stranger(): Promise<TestClient> {
  const client = await member("stranger");
  const user = client.admission.user.id;
  await owner.call("DELETE", `/v1/namespaces/${team}/members/${user}`);
  return client;
}

/** Every page and form, with ids of the team in its path. */
function everyPage(): readonly (readonly [PageName, PageRule, string])[] {
  return (Object.keys(pageTable) as PageName[]).map((name) => {
    const rule: PageRule = pageTable[name];
    const path = rule.path
      .replace(":namespace", team)
      .replace(":record", "writer_a-record-1")
      .replace(":device", owner.admission.device.id)
      .replace(":user", owner.admission.user.id)
      .replace(":link", "l".repeat(16));
    return [name, rule, path] as const;
  });
}

const visit = async (browser: TestBrowser, rule: PageRule, path: string): Promise<Response> =>
  rule.method === "GET"
    ? await browser.get(path)
    : await browser.post(path, { role: "reader", name: "new" });

describe("signing in", () => {
  test("[CO1] a link works once, within two minutes, and its cookie is kept from scripts and other sites", async () => {
    const secret = await linkSecret(owner);
    const answer = await openLink(server, secret);
    expect(answer.status).toBe(200);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-tidemark=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/);
    expect(cookie).toMatch(/; Secure$/);
    expect(cookie).not.toContain(secret);
    expect((await openLink(server, secret)).status).toBe(401);
    const late = await linkSecret(owner);
    harness.clock.advance(serverLimits.console.linkMs);
    expect((await openLink(server, late)).status).toBe(401);
    expect(harness.log.join("\n")).not.toContain(secret);
  });

  test("[CO2] a session ends with its device, when it is idle, and when somebody signs out", async () => {
    const phone = await joinServer(server, await owner.createLink({ kind: "device" }), "phone");
    const browser = await signInBrowser(server, phone);
    expect((await browser.get("/console")).status).toBe(200);
    await owner.call("DELETE", `/v1/devices/${phone.admission.device.id}`);
    const gone = await browser.get("/console");
    expect([gone.status, gone.headers.get("location")]).toEqual([303, "/console/enter"]);

    const own = await signInBrowser(server, owner);
    expect((await own.post("/console/leave", {})).status).toBe(303);
    expect((await own.get("/console")).status).toBe(303);
    const idle = await signInBrowser(server, owner);
    harness.clock.advance(idleMs);
    expect((await idle.get("/console")).status).toBe(303);
  });

  test("[CO6] the console answers to its own names, and over plain HTTP on the machine itself alone", async () => {
    const at = async (host: string) =>
      (await ask(server, "/console/enter", { headers: { host } })).status;
    expect(await at("tidemark.example")).toBe(200);
    expect(await at("evil.example")).toBe(421);
    expect(await at("localhost.evil")).toBe(421);
    expect(await at("tidemark.lan:8420")).toBe(403);
  });
});

describe("who may", () => {
  test("[CO4] every page wants a session, and a form of nobody changes nothing", async () => {
    const phone = await joinServer(server, await owner.createLink({ kind: "device" }), "phone");
    const revoked = await signInBrowser(server, phone);
    await owner.call("DELETE", `/v1/devices/${phone.admission.device.id}`);
    const nobodies = [
      await browserWith(server, ""),
      await browserWith(server, `__Host-tidemark=${"A".repeat(43)}`),
      revoked,
    ];
    for (const [name, rule, path] of everyPage()) {
      if (rule.who === "anybody") continue;
      for (const nobody of nobodies) {
        const answer = await visit(nobody, rule, path);
        expect([name, answer.status]).toEqual([name, rule.method === "GET" ? 303 : 401]);
        expect(await answer.text()).not.toContain("alfa");
      }
    }
  });

  test("[CO4] to who is not in a team its pages are as pages that are not there", async () => {
    const browser = await signInBrowser(server, await stranger());
    const other = "ns_77777777777777777777777777" as NamespaceId;
    for (const [name, rule, path] of everyPage()) {
      if (!rule.path.includes(":")) continue;
      if (rule.who === "anybody") continue;
      const here = await visit(browser, rule, path);
      const nowhere = await visit(browser, rule, path.replace(team, other));
      expect([name, here.status]).toEqual([name, 404]);
      expect([name, nowhere.status]).toEqual([name, 404]);
      expect(await here.text()).not.toContain("alfa");
    }
    for (const of of [team, other]) {
      expect((await browser.get(`/console/memory?namespace=${of}`)).status).toBe(404);
      expect((await browser.get(`/console/audit?of=${of}`)).status).toBe(404);
    }
    expect((await browser.get("/console/audit?of=server")).status).toBe(403);
    expect(await (await browser.get("/console/server")).text()).not.toContain("Public URLs");
  });

  test("[CO4] roles decide as they do for the API", async () => {
    const victim = await member("victim");
    const path = `/console/namespaces/${team}/members/${victim.admission.user.id}`;
    for (const [role, status] of [
      ["reader", 403],
      ["writer", 403],
      ["admin", 303],
    ] as const) {
      const browser = await signInBrowser(server, await member(`a ${role}`, role));
      expect((await browser.get(`/console/namespaces/${team}`)).status).toBe(200);
      const changed = await browser.post(`${path}/role`, { role: "writer" });
      expect([role, changed.status]).toEqual([role, status]);
      const audit = await browser.get(`/console/audit?of=${team}`);
      expect([role, audit.status]).toEqual([role, role === "admin" ? 200 : 403]);
    }
    const browser = await signInBrowser(server, owner);
    expect((await browser.post(`${path}/remove`, {})).status).toBe(303);
    const alone = `/console/namespaces/${team}/members/${owner.admission.user.id}/remove`;
    expect((await browser.post(alone, {})).status).toBe(409);
  });

  test("[CO3] a form of another site, of another session or without what its page carries is refused", async () => {
    const browser = await signInBrowser(server, owner);
    const other = await signInBrowser(server, await member("dana"));
    const otherCsrf = /name="csrf" value="([\w-]+)"/.exec(
      await (await other.get("/console/namespaces")).text(),
    )?.[1];
    const make = async (given: Parameters<TestBrowser["post"]>[2]) =>
      (await browser.post("/console/namespaces", { name: "new" }, given)).status;
    expect(await make({ csrf: "" })).toBe(403);
    expect(await make({ csrf: otherCsrf ?? "" })).toBe(403);
    expect(await make({ headers: { origin: "https://evil.example" } })).toBe(403);
    expect(await make({ headers: { origin: "null" } })).toBe(403);
    expect(await make({ headers: { "sec-fetch-site": "cross-site" } })).toBe(403);
    expect(await make({ headers: { "content-type": "text/plain" } })).toBe(400);
    expect(await (await browser.get("/console/namespaces")).text()).not.toContain(">new<");
    expect(await make({})).toBe(303);
    const foreign = { origin: "https://evil.example" };
    expect((await openLink(server, await linkSecret(owner), foreign)).status).toBe(403);
    const get = await browser.get(`/console/devices/${owner.admission.device.id}/revoke`);
    expect(get.status).toBe(404);
  });

  test("[NS28] who is in as many namespaces as one may be in is told so, and makes none", async () => {
    const { server: full, owner: busy } = await crowdedServer(limits.namespacesMax);
    const browser = await signInBrowser(full, busy);
    const answer = await browser.post("/console/namespaces", { name: "one more" });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain("You are in 4000 namespaces");
    expect(await (await browser.get("/console/namespaces")).text()).not.toContain("one more");
  });

  test("[CO5] what is dangerous wants a session that was opened a moment ago", async () => {
    const browser = await signInBrowser(server, owner);
    harness.clock.advance(freshMs + 1);
    for (const [name, rule, path] of everyPage()) {
      if (rule.who !== "fresh") continue;
      const answer = await browser.post(path, { role: "reader", name: "new" });
      expect([name, answer.status]).toEqual([name, 403]);
      expect(await answer.text()).toContain("tidemark console");
    }
    expect((await owner.hello()).user?.name).toBe("alfa");
  });
});

describe("pages", () => {
  test("[CO7] what somebody wrote is text, and nothing else is loaded", async () => {
    const browser = await signInBrowser(server, owner);
    const answer = await browser.get(`/console/memory?namespace=${team}`);
    const page = await answer.text();
    expect(page).toContain("alfa learned &lt;b&gt;this&lt;/b&gt;");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page).not.toMatch(/ style="| on\w+="/);
    expect(answer.headers.get("x-frame-options")).toBe("DENY");
    const query = encodeURIComponent(`"><script>alert(1)</script>' & | ! :* <-> ()"`);
    const searched = await browser.get(`/console/memory?namespace=${team}&q=${query}`);
    expect(searched.status).toBe(200);
    expect(await searched.text()).not.toContain("<script>alert");
  });

  test("[CO8] observations are found by their words and shown with who wrote them", async () => {
    const browser = await signInBrowser(server, owner);
    const found = async (query: string): Promise<boolean> => {
      const answer = await browser.get(`/console/memory?namespace=${team}&q=${query}`);
      return (await answer.text()).includes("data-entry");
    };
    expect(await found("LEARNED+alfa")).toBe(true);
    expect(await found("learned+nothing")).toBe(false);
    const page = await browser.get(`/console/memory/${team}/writer_a-record-1`);
    expect(await page.text()).toContain("<bdi>laptop</bdi>");
    expect((await browser.get(`/console/memory/${team}/none`)).status).toBe(404);
  });

  test("[WR41] an observation that changed too often to show all says so", async () => {
    const browser = await signInBrowser(server, owner);
    const record = "writer_a-record-1";
    const said = async (): Promise<boolean> => {
      const page = await (await browser.get(`/console/memory/${team}/${record}`)).text();
      return page.includes("It was changed more often; older values are kept.");
    };
    const { countMax } = serverLimits.revisions;
    const rows = Array.from({ length: countMax + 1 }, (_, lamport) => revision(record, lamport));
    await harness.store.writeNamespace(team, (tx) => tx.addRevisions(rows.slice(0, countMax)));
    expect(await said()).toBe(false);
    await harness.store.writeNamespace(team, (tx) => tx.addRevisions(rows.slice(countMax)));
    expect(await said()).toBe(true);
  });

  test("[CO5] a device that shows a code is let in by its name, typed by hand, once", async () => {
    const shown = await showCode(server, "thin client");
    harness.clock.advance(quarterMs);
    const fresh = await showCode(server, "new thinkpad");
    const renewed = await signIn(server, owner.device, owner.admission);
    const browser = await signInBrowser(server, renewed);
    const facts = await (await browser.post("/console/pairing", { code: fresh.code })).text();
    expect(facts).toContain("new thinkpad");
    const fields = { id: fresh.id, word: "thinkpad" };
    const approve = async (typed: string): Promise<number> =>
      (await browser.post("/console/pairing/approve", { ...fields, typed })).status;
    expect(await approve("yes")).toBe(400);
    expect(await pollAnswer(await pollCode(server, fresh))).toMatchObject({ status: "pending" });
    expect(await approve("thinkpad")).toBe(303);
    harness.clock.advance(5_000);
    expect(await pollAnswer(await pollCode(server, fresh))).toMatchObject({ status: "approved" });
    expect(await approve("thinkpad")).toBe(409);
    expect((await browser.post("/console/pairing", { code: shown.code })).status).toBe(404);
    expect((await browser.post("/console/pairing", { code: "no code" })).status).toBe(400);
  });

  test("[CO15] no habit lets in a device whose name ends in a yes, or in nothing to read", async () => {
    harness.clock.advance(quarterMs);
    const browser = await signInBrowser(
      server,
      await signIn(server, owner.device, owner.admission),
    );
    for (const name of ["laptop yes", "box-Y", "★", "laptop ★"]) {
      const shown = await showCode(server, name);
      const facts = await (await browser.post("/console/pairing", { code: shown.code })).text();
      const word = /name="word" value="([^"]*)"/.exec(facts)?.[1] ?? "";
      expect([name, word]).toEqual([name, name === "laptop ★" ? "laptop" : "let in"]);
      await browser.post("/console/pairing/deny", { id: shown.id });
    }
    const küche = await showCode(server, "Größe (Ku\u0308che)");
    const asked = await (await browser.post("/console/pairing", { code: küche.code })).text();
    const word = /name="word" value="([^"]*)"/.exec(asked)?.[1] ?? "";
    // A keyboard writes one letter where the name has two signs.
    const fields = { id: küche.id, word, typed: "k\u00FCche" };
    expect((await browser.post("/console/pairing/approve", fields)).status).toBe(303);
  });

  test("[CO4] a device is renamed and shut out, as by its person's other devices", async () => {
    const phone = await joinServer(server, await owner.createLink({ kind: "device" }), "phone");
    const browser = await signInBrowser(server, owner);
    const path = `/console/devices/${phone.admission.device.id}`;
    expect((await browser.post(`${path}/rename`, { name: "old phone" })).status).toBe(303);
    expect(await (await browser.get("/console/devices")).text()).toContain("old phone");
    expect((await browser.post(`${path}/revoke`, {})).status).toBe(303);
    expect((await phone.send("/v1/hello")).status).toBe(401);
    const last = `/console/devices/${owner.admission.device.id}/revoke`;
    expect((await browser.post(last, {})).status).toBe(409);
  });
});

test("[EE18] of an encrypted namespace the console shows that there is one, and nothing of it", async () => {
  const sealed = await createSealed(owner);
  const { id } = sealed;
  const put = { writer: "w1", title: "sealed words", ring: sealed.ring(1) };
  expect((await pushPut(owner, { id, epoch: 1 }, put)).status).toBe(200);
  const browser = await signInBrowser(server, owner);
  const memory = await (await browser.get(`/console/memory?namespace=${id}`)).text();
  expect(memory).toContain("cannot read it");
  expect(memory).not.toMatch(/sealed1\.|sealed words/);
  expect((await browser.get(`/console/memory/${id}/r-w1`)).status).toBe(404);
  expect(await (await browser.get("/console/conflicts")).text()).not.toContain("sealed1.");
  expect((await browser.get(`/console/namespaces/${id}`)).status).toBe(200);
});
