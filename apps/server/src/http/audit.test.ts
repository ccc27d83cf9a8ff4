import type { AuditAnswer, AuditCheck, NewsItem } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { emptyAccounts } from "../store/memory/account-state.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import type { AppEnv } from "./app-env.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";
import {
  ask,
  askToken,
  assertionForm,
  claimServer,
  joinServer,
  outcome,
  signedHeadersFor,
  type Server,
  type TestClient,
} from "./testing/client.ts";

interface Lived {
  readonly harness: Harness;
  readonly owner: TestClient;
  readonly desktop: TestClient;
}

async function lived(given: Parameters<typeof createHarness>[0] = {}): Promise<Lived> {
  const harness = createHarness(given);
  const owner = await claimServer(harness);
  const desktop = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
  return { harness, owner, desktop };
}

/** A token request of a device with this counter. */
async function show(harness: Server, client: TestClient, ctr: unknown): Promise<Response> {
  const change = { id: client.admission.device.id, claims: { ctr } };
  return await askToken(harness, client.device, {
    body: await assertionForm(harness, client.device, change),
  });
}

async function rows(client: TestClient, path = "/v1/audit?limit=200"): Promise<AuditAnswer> {
  return await client.call<AuditAnswer>("GET", path);
}

async function events(client: TestClient, path?: string): Promise<readonly string[]> {
  return (await rows(client, path)).items.map(({ event }) => event);
}

test("[AU16] a counter that does not rise gets no token, and all devices are told (abuse 55)", async () => {
  const { harness, owner, desktop } = await lived();
  expect((await show(harness, desktop, 1_000_000)).status).toBe(200);
  for (const ctr of [1_000_000, 999_999, 1]) {
    const refused = await show(harness, desktop, ctr);
    const problem = JSON.parse(await bodyText(refused)) as object;
    expect(refused.status).toBe(401);
    expect(problem).toMatchObject({ code: "key-copied", family: "auth", counter: 1_000_000 });
    expect(problem).not.toHaveProperty("access_token");
  }
  expect((await events(owner)).filter((event) => event === "key-copied")).toHaveLength(1);
  for (const client of [owner, desktop]) {
    const [newest] = (await client.hello()).news ?? [];
    expect(newest).toMatchObject({ event: "key-copied", device: desktop.admission.device.id });
  }
  expect((await show(harness, desktop, 1_000_001)).status).toBe(200);
});

test("[AU16] of two assertions at once with one counter one passes (abuse 55)", async () => {
  const { harness, owner, desktop } = await lived();
  for (let round = 1; round <= 10; round += 1) {
    const ctr = 1_000_000 + round;
    const both = await Promise.all([show(harness, desktop, ctr), show(harness, desktop, ctr)]);
    const outcomes = await Promise.all(both.map(outcome));
    expect(outcomes.toSorted()).toEqual(["200", "401 key-copied"]);
  }
  expect((await events(owner)).filter((event) => event === "key-copied")).toHaveLength(1);
});

test("[AU16] only who holds the key learns of its counter, and nobody else moves it (abuse 54)", async () => {
  const { harness, owner, desktop } = await lived();
  await show(harness, desktop, 1_000_000);
  const { id } = desktop.admission.device;
  const before = await events(owner);
  const others = [
    assertionForm(harness, owner.device, { id, claims: { ctr: 2_000_000 } }),
    assertionForm(harness, desktop.device, {
      id,
      claims: { ctr: 2_000_000, aud: [harness.url] },
    }),
    assertionForm(harness, desktop.device, { id, claims: { ctr: 0 } }),
    assertionForm(harness, desktop.device, { id, claims: { ctr: -1 } }),
    assertionForm(harness, desktop.device, { id, claims: { ctr: 1e300 } }),
  ];
  for (const body of await Promise.all(others)) {
    const answer = await askToken(harness, desktop.device, { body });
    expect(await outcome(answer)).toBe("401 invalid-token");
  }
  expect(await events(owner)).toEqual(before);
  expect((await show(harness, desktop, 1_000_001)).status).toBe(200);
});

test("[AU16] a revoked device is told that it was, whatever it counts (abuse 56)", async () => {
  const { harness, owner, desktop } = await lived();
  await owner.call("DELETE", `/v1/devices/${desktop.admission.device.id}`);
  const before = await events(owner);
  expect(await outcome(await show(harness, desktop, 1))).toBe("401 device-revoked");
  expect(await outcome(await show(harness, desktop, 1_000_000))).toBe("401 device-revoked");
  expect(await events(owner)).toEqual(before);
});

test("[AD5] hello tells the other devices of a new one, and strangers nothing", async () => {
  const { harness, owner, desktop } = await lived();
  const [newest] = (await owner.hello()).news ?? [];
  expect(newest).toMatchObject({
    event: "device-joined",
    device: desktop.admission.device.id,
    at: harness.clock.nowMs(),
    details: { name: "desktop", platform: "linux x64", by: "link", approvedBy: "laptop" },
  } satisfies Partial<NewsItem>);
  const stranger = JSON.parse(await bodyText(await ask(harness, "/v1/hello"))) as object;
  expect(stranger).not.toHaveProperty("news");
});

test("[AD4] the audit is for the owner, a namespace's for its admins, one's own for everybody", async () => {
  const { harness, owner } = await lived();
  const team = await owner.createNamespace("team");
  const invite = { kind: "invite", namespace: team.id, role: "writer" };
  const grace = await joinServer(harness, await owner.createLink(invite), "grace");
  const forTeam = `/v1/audit?namespace=${team.id}`;
  expect(await events(owner, forTeam)).toEqual([
    "invite-accepted",
    "link-used",
    "link-made",
    "namespace-created",
  ]);
  expect(await outcome(await grace.send("/v1/audit"))).toBe("403 forbidden");
  expect(await outcome(await grace.send("/v1/audit/check"))).toBe("403 forbidden");
  expect(await outcome(await grace.send(forTeam))).toBe("403 forbidden");
  const { namespaces = [] } = await owner.hello();
  const personal = namespaces.find(({ kind }) => kind === "personal")?.id ?? "";
  for (const id of [personal, "ns_none", "n%20s", ""]) {
    expect(await outcome(await grace.send(`/v1/audit?namespace=${id}`))).toBe("404 not-found");
  }
  expect(await events(grace, "/v1/devices/log")).toEqual([
    "device-joined",
    "invite-accepted",
    "link-used",
  ]);
  const { user } = grace.admission;
  await owner.call("PATCH", `/v1/namespaces/${team.id}/members/${user.id}`, { role: "admin" });
  expect((await events(grace, forTeam))[0]).toBe("role-changed");
  expect(await outcome(await ask(harness, "/v1/audit"))).toBe("401 invalid-token");
});

test("[AD4] pages go on at their cursor; what is no cursor or number is refused", async () => {
  const { owner } = await lived();
  const all = await rows(owner);
  expect(all.next).toBeNull();
  const seen: number[] = [];
  for (let after = ""; ;) {
    const page = await rows(owner, `/v1/audit?limit=2${after}`);
    seen.push(...page.items.map(({ seq }) => seq));
    if (page.next === null) break;
    after = `&after=${page.next}`;
  }
  expect(seen).toEqual(all.items.map(({ seq }) => seq));
  for (const query of ["limit=0", "limit=x", "limit=1e3", "after=-1", "after=x", "after=0"]) {
    expect(await outcome(await owner.send(`/v1/audit?${query}`))).toBe("400 invalid");
    expect(await outcome(await owner.send(`/v1/devices/log?${query}`))).toBe("400 invalid");
  }
});

test("[AD3] the owner has the chain checked, and a changed row is found and logged", async () => {
  const accounts = emptyAccounts();
  const store = createMemoryStore({ clock: { nowMs: () => 1 }, accounts });
  const { harness, owner } = await lived({ store });
  const check = async () => await owner.call<AuditCheck>("GET", "/v1/audit/check");
  const { items } = await rows(owner);
  const head = { seq: items[0]?.seq, hash: items[0]?.hash };
  expect(await check()).toEqual({ rows: items.length, head });
  const [, , third] = accounts.audit;
  if (third === undefined) throw new Error("there are three rows");
  accounts.audit[2] = { ...third, network: "198.51.100.0/24" };
  expect(await check()).toMatchObject({ rows: 2, head: { seq: 2 }, brokenAt: 3 });
  expect(harness.log).toContain('audit-broken {"seq":3}');
});

const trusting = { isTrustedProxy: (address: string) => address === "10.0.0.1" };
test.each([
  ["of the peer", {}, "203.0.113.77", undefined, "203.0.113.0/24"],
  ["of the peer, whatever a stranger forges", {}, "203.0.113.77", "198.51.100.9", "203.0.113.0/24"],
  ["before a trusted proxy", trusting, "10.0.0.1", "1.1.1.1, 198.51.100.9", "198.51.100.0/24"],
  ["of an IPv6 customer", {}, "2001:db8:1:2ff::1", undefined, "2001:db8:1:200::/56"],
] as const)(
  "[AD2] the network %s is kept, never the address",
  async (_, given, peer, hops, kept) => {
    const { harness, owner } = await lived(given);
    const env: AppEnv["Bindings"] = { incoming: { socket: { remoteAddress: peer } } };
    const from: Server = {
      ...harness,
      app: { fetch: async (request) => await harness.app.fetch(request, env) },
    };
    const headers = hops === undefined ? {} : { "x-forwarded-for": hops };
    const path = "/v1/namespaces";
    const signed = await signedHeadersFor(harness, owner, path, { method: "POST" });
    const made = await ask(from, path, {
      method: "POST",
      headers: { ...signed, ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name: "team" }),
    });
    expect(made.status).toBe(201);
    const { items } = await rows(owner);
    expect(items[0]).toMatchObject({ event: "namespace-created", network: kept });
    expect(JSON.stringify(items) + harness.log.join("\n")).not.toContain(peer);
  },
);

test("[AD2] neither the log nor the audit holds a secret, a token or a proof (abuse 139)", async () => {
  const harness = createHarness();
  const secrets: string[] = [];
  const spied: Server = {
    ...harness,
    setupSecret: async () => {
      const secret = await harness.setupSecret();
      secrets.push(secret);
      return secret;
    },
    app: {
      fetch: async (request) => {
        for (const name of ["authorization", "dpop"]) {
          const shown = request.headers.get(name)?.replace(/^DPoP /u, "");
          if (shown !== undefined && shown !== "") secrets.push(shown);
        }
        return await harness.app.fetch(request);
      },
    },
  };
  const owner = await claimServer(spied);
  const link = await owner.createLink({ kind: "device" });
  secrets.push(link.auth);
  const desktop = await joinServer(spied, link, "desktop");
  await joinServer(spied, link, "again").catch(() => undefined);
  await show(spied, desktop, 1);
  await owner.call("DELETE", `/v1/devices/${desktop.admission.device.id}`);
  await desktop.send("/v1/hello");
  expect(secrets.length).toBeGreaterThan(8);
  const kept = `${harness.log.join("\n")}\n${JSON.stringify(await rows(owner))}`;
  for (const secret of secrets) expect(kept).not.toContain(secret);
});
