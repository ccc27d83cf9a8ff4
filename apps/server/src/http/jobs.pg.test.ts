import type { NamespaceId } from "@tidemark/protocol";
import type { DeviceInfo, LinkInfo } from "@tidemark/protocol/wire";
import { generateKeyPair, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestClock, type TestClock } from "../auth/testing/auth-deps.ts";
import { createTestDevice, type TestDevice } from "../auth/testing/device.ts";
import {
  githubClaims,
  gitlabClaims,
  startTestIssuer,
  type TestIssuer,
} from "../auth/testing/test-issuer.ts";
import { fetchFromIssuer } from "../platform/issuer-fetch.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { expireEveryMs } from "./app.ts";
import {
  claimServer,
  createTestWriter,
  joinServer,
  newDevice,
  outcome,
  post,
  push,
  signIn,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";

const dayMs = 86_400_000;
const refused = "401 invalid-token";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});

let clock: TestClock;
let github: TestIssuer;
let gitlab: TestIssuer;
let harness: Harness;
let owner: TestClient;
let acme: NamespaceId;
beforeEach(async () => {
  clock = createTestClock();
  [github, gitlab] = await Promise.all([startTestIssuer(), startTestIssuer()]);
  const issuers = [
    { provider: "github", issuer: github.issuer },
    { provider: "gitlab", issuer: gitlab.issuer },
  ] as const;
  const store = await stores.open(clock);
  harness = createHarness({ store, clock, jobs: { issuers, fetch: fetchFromIssuer } });
  owner = await claimServer({ ...harness, clock });
  acme = (await owner.createNamespace("acme")).id;
});
afterEach(async () => {
  harness.app.close();
  await Promise.all([github.close(), gitlab.close()]);
});

let drawn = 0;
/** A machine of its own: a device's name draws its key. */
async function newMachine(): Promise<TestDevice> {
  drawn += 1;
  return await createTestDevice(`job ${drawn}`);
}

const hubRule = { provider: "github", repository: "acme/app" } as const;
const labRule = { provider: "gitlab", repository: "acme/group/app" } as const;

async function makeRule(job: object, request: object = {}): Promise<void> {
  await owner.createLink({ kind: "ci", namespace: acme, job, ...request });
}

async function show(token: string, device?: TestDevice, more: object = {}): Promise<Response> {
  const own = device ?? (await newMachine());
  return await post(harness, "/v1/join/job", { token, device: newDevice(own, "job"), ...more });
}

async function hubToken(change: Parameters<TestIssuer["token"]>[1] = {}): Promise<string> {
  const claims = { ...githubClaims(harness.url), ...change.claims };
  return await github.token(clock.nowMs(), { ...change, claims });
}

async function labToken(claims: object = {}): Promise<string> {
  return await gitlab.token(clock.nowMs(), { claims: { ...gitlabClaims(harness.url), ...claims } });
}

/** Everything that a refusal must leave as it was. */
async function held(): Promise<unknown> {
  const { admin } = stores;
  return {
    devices: await admin`select to_jsonb(d) as row from tidemark.devices d order by id`,
    links: await admin`select to_jsonb(l) as row from tidemark.links l order by id`,
    users: await admin`select to_jsonb(u) as row from tidemark.users u order by id`,
    members:
      await admin`select to_jsonb(m) as row from tidemark.members m order by namespace_id, user_id`,
    tokens: await admin`select to_jsonb(t) as row from tidemark.job_tokens t order by hash`,
  };
}

async function machines(): Promise<readonly DeviceInfo[]> {
  const { devices } = await owner.call<{ devices: readonly DeviceInfo[] }>("GET", "/v1/devices");
  return devices.filter(({ kind }) => kind === "ci");
}

async function enterAsJob(token: string): Promise<TestClient> {
  const device = await newMachine();
  const response = await show(token, device);
  if (response.status !== 201) throw new Error(await bodyText(response));
  return await signIn({ ...harness, clock }, device, JSON.parse(await bodyText(response)) as never);
}

test("[PR15] a job of GitHub and one of GitLab come in without a secret, and have their namespace alone", async () => {
  await makeRule(hubRule);
  await makeRule(labRule, { role: "reader" });
  const hub = await enterAsJob(await hubToken());
  expect((await hub.hello()).namespaces).toMatchObject([{ id: acme, role: "writer" }]);
  expect((await push(hub, acme, createTestWriter("w1").body(["a"]))).status).toBe(200);
  expect(await outcome(await hub.send("/v1/devices"))).toBe("403 device-limited");
  const lab = await enterAsJob(await labToken());
  expect((await lab.hello()).namespaces).toMatchObject([{ id: acme, role: "reader" }]);
  const { links } = await owner.call<{ links: readonly LinkInfo[] }>("GET", "/v1/links");
  const listed = links.toSorted((left, right) => (right.role ?? "").localeCompare(left.role ?? ""));
  expect(listed.map(({ job, uses, ephemeral }) => [job, uses, ephemeral])).toEqual([
    [{ ...hubRule, issuer: github.issuer, repositoryId: "11" }, 1, true],
    [{ ...labRule, issuer: gitlab.issuer, repositoryId: "11" }, 1, true],
  ]);
});

test("[PR16] a token of anybody else, for anybody else, of another time or job lets nobody in and changes nothing (abuse 37)", async () => {
  await makeRule({ ...hubRule, repositoryId: "11", ref: "refs/heads/main" });
  await makeRule(labRule);
  const strange = await generateKeyPair("RS256");
  const nowS = Math.floor(clock.nowMs() / 1_000);
  const secret = new TextEncoder().encode("k".repeat(64));
  const claims = { ...githubClaims(harness.url), iss: github.issuer, jti: "j", iat: nowS };
  const whole = await hubToken();
  const wrong: Record<string, string> = {
    "aud of another service": await hubToken({ claims: { aud: "https://other.example" } }),
    "aud with a slash": await hubToken({ claims: { aud: `${harness.url}/` } }),
    "aud of two": await hubToken({ claims: { aud: [harness.url, "https://other.example"] } }),
    "aud in a list": await hubToken({ claims: { aud: [harness.url] } }),
    "another repository_id": await hubToken({ claims: { repository_id: "12" } }),
    "another repository": await hubToken({ claims: { repository: "acme/app2" } }),
    "a fork of the same name": await hubToken({ claims: { repository: "eve/app" } }),
    "another ref": await hubToken({ claims: { ref: "refs/heads/mainly" } }),
    "a fork's pull request": await hubToken({
      claims: {
        sub: "repo:acme/app:pull_request",
        event_name: "pull_request",
        ref: "refs/pull/7/merge",
      },
    }),
    "a pull request with the base's ref": await hubToken({
      claims: { event_name: "pull_request_target" },
    }),
    "a pull request's sub": await hubToken({ claims: { sub: "repo:acme/app:pull_request" } }),
    "what follows a pull request": await hubToken({ claims: { event_name: "workflow_run" } }),
    "a stranger's comment": await hubToken({ claims: { event_name: "issue_comment" } }),
    expired: await hubToken({ claims: { iat: nowS - 400, nbf: nowS - 400, exp: nowS - 40 } }),
    "not yet": await hubToken({ claims: { nbf: nowS + 60 } }),
    "from the future": await hubToken({ claims: { iat: nowS + 60, exp: nowS + 600 } }),
    "too old, whatever it says": await hubToken({
      claims: { iat: nowS - 3_700, nbf: 0, exp: nowS + 600 },
    }),
    "without exp": await hubToken({ claims: { exp: undefined } }),
    "without jti": await hubToken({ claims: { jti: undefined } }),
    "without sub": await hubToken({ claims: { sub: undefined } }),
    "another iss": await hubToken({
      claims: { iss: "https://token.actions.githubusercontent.com" },
    }),
    "an iss like it": await hubToken({ claims: { iss: `${github.issuer}/` } }),
    "another service's iss": await hubToken({ claims: { iss: gitlab.issuer } }),
    "alg none": new UnsecuredJWT({ ...claims, exp: nowS + 300 }).encode(),
    "alg HS256": await hubToken({ header: { alg: "HS256" }, key: secret }),
    "alg PS256": await hubToken({
      header: { alg: "PS256" },
      key: (await generateKeyPair("PS256")).privateKey,
    }),
    "another's key": await hubToken({ key: strange.privateKey }),
    "an unknown kid": await hubToken({ key: strange.privateKey, header: { kid: "mine" } }),
    "a key of its own": await hubToken({
      key: strange.privateKey,
      header: { jwk: { kty: "RSA" }, jku: "https://evil.example/keys" },
    }),
    "changed claims": `${whole.split(".")[0]}.${(await hubToken({ claims: { ref: "x" } })).split(".")[1]}.${whole.split(".")[2]}`,
    "no signature": `${whole.split(".").slice(0, 2).join(".")}.`,
    "no token": "aaaaaaaa.bbbbbbbb.cccccccc",
    "GitLab, ref not protected": await labToken({ ref_protected: "false" }),
    "GitLab, a merge request": await labToken({ pipeline_source: "merge_request_event" }),
    "GitLab, another project": await labToken({ project_path: "eve/group/app", project_id: "12" }),
    "GitLab's claims from GitHub": await hubToken({ claims: gitlabClaims(harness.url) }),
  };
  // Its own tokens are right in all else: without the change they come in.
  const before = await held();
  for (const [what, token] of Object.entries(wrong)) {
    expect([what, await outcome(await show(token))]).toEqual([what, refused]);
  }
  expect(await held()).toEqual(before);
  expect((await show(whole)).status).toBe(201);
});

test("[PR16] the answers to all of them are one, and say nothing of the rules", async () => {
  await makeRule({ ...hubRule, environment: "prod" });
  const bodies = [
    await hubToken({ claims: { aud: "https://other.example" } }),
    await hubToken(),
    await hubToken({ claims: { repository: "nobody/knows" } }),
  ].map(async (token) => {
    const answer = JSON.parse(await bodyText(await show(token))) as Record<string, unknown>;
    return JSON.stringify({ ...answer, requestId: "" });
  });
  const told = new Set(await Promise.all(bodies));
  expect(told.size).toBe(1);
  expect([...told].join("")).not.toMatch(/prod|acme/);
  const logged = harness.log.filter((line) => line.startsWith("job-refused")).join(" ");
  expect(logged).toContain("no-token");
  expect(logged).toContain("no-rule");
  expect(logged).not.toMatch(/eyJ/);
});

test("[PR16] a token lets one key in: a thief who copies it gets nothing, the job's own retry the same again", async () => {
  await makeRule(hubRule);
  const token = await hubToken();
  const device = await newMachine();
  const first = await bodyText(await show(token, device));
  expect(await bodyText(await show(token, device))).toBe(first);
  const before = await held();
  expect(await outcome(await show(token))).toBe(refused);
  clock.advance(200_000);
  expect(await outcome(await show(token))).toBe(refused);
  expect(await held()).toEqual(before);
  expect(await machines()).toHaveLength(1);
});

test("[PR15] a repository that was made again under the same name inherits nothing", async () => {
  await makeRule(hubRule);
  await enterAsJob(await hubToken());
  const before = await held();
  const remade = await hubToken({ claims: { repository_id: "12" } });
  expect(await outcome(await show(remade))).toBe(refused);
  expect(await held()).toEqual(before);
  const audit = await owner.call<{ items: readonly { event: string }[] }>(
    "GET",
    `/v1/audit?namespace=${acme}`,
  );
  expect(audit.items.map(({ event }) => event)).toContain("link-refused");
});

test("[PR15] a rule is made by who administers the namespace, for services that the server knows", async () => {
  const bob = await joinServer(
    { ...harness, clock },
    await owner.createLink({ kind: "invite", namespace: acme, role: "writer" }),
    "bob",
  );
  const make = async (client: TestClient, request: object): Promise<string> => {
    const body = JSON.stringify({
      kind: "ci",
      authHash: "A".repeat(43),
      namespace: acme,
      job: hubRule,
      ...request,
    });
    const headers = { "content-type": "application/json" };
    const made = await client.send("/v1/links", { method: "POST", body, headers });
    return made.status === 201 ? "201" : await outcome(made);
  };
  expect(await make(bob, {})).toBe("403 forbidden");
  expect(await make(bob, { role: "reader" })).toBe("403 forbidden");
  expect(await make(owner, { role: "admin" })).toBe("400 invalid");
  expect(await make(owner, { uses: 3 })).toBe("400 invalid");
  expect(await make(owner, { ephemeral: false })).toBe("400 invalid");
  expect(await make(owner, { kind: "invite" })).toBe("400 invalid");
  expect(await make(owner, { job: { ...hubRule, issuer: "https://evil.example" } })).toBe(
    "400 invalid",
  );
  expect(await make(owner, { job: { ...hubRule, issuer: gitlab.issuer } })).toBe("400 invalid");
  expect(await make(owner, { job: { ...hubRule, repository: "acme/*" } })).toBe("400 invalid");
  expect(await make(owner, { job: { ...hubRule, ref: "refs/pull/1/merge" } })).toBe("400 invalid");
  expect(await make(owner, { ttlSeconds: 31_536_001 })).toBe("400 invalid");
  expect(await make(owner, { ttlSeconds: 31_536_000 })).toBe("201");
  expect(await make(owner, { job: undefined, ttlSeconds: 2_592_001 })).toBe("400 invalid");
  expect(
    await make(owner, { kind: "device", namespace: undefined, job: undefined, ephemeral: true }),
  ).toBe("400 invalid");
});

test("[PR17] a machine of a job is gone a day after it was last heard of; what it wrote stays (abuse 38)", async () => {
  await makeRule(hubRule);
  const job = await enterAsJob(await hubToken());
  expect((await push(job, acme, createTestWriter("w1").body(["found out"]))).status).toBe(200);
  const { id } = job.admission.device;
  const [{ seen } = { seen: 0 }] = await stores.admin<{ seen: number }[]>`
    select last_seen_at_ms::float8 as seen from tidemark.devices where id = ${id}`;
  clock.advance(seen + dayMs - 1 - clock.nowMs());
  harness.tick(expireEveryMs);
  // Heard of within the day, it has another one.
  const again = await signIn({ ...harness, clock }, job.device, job.admission);
  await again.hello();
  clock.advance(dayMs);
  // Refused from that moment on, whether or not it was put away yet.
  await expect(signIn({ ...harness, clock }, job.device, job.admission)).rejects.toThrow(
    "401 device-revoked",
  );
  harness.tick(expireEveryMs);
  const laptop = await signIn({ ...harness, clock }, owner.device, owner.admission);
  await expect
    .poll(async () => {
      const { devices } = await laptop.call<{ devices: readonly DeviceInfo[] }>(
        "GET",
        "/v1/devices",
      );
      return devices.filter(({ kind }) => kind === "ci").map(({ status }) => status);
    })
    .toEqual(["revoked"]);
  const page = await bodyText(await laptop.send(`/v1/namespaces/${acme}/records`));
  expect(page).toContain("found out");
  // What clients count as trust 1 ([ST21]).
  expect(page).toContain('"machine":true');
});

test("[PR18] an issuer that is down is told from a wrong token, changes nothing, and holds nobody up", async () => {
  await makeRule(hubRule);
  const token = await hubToken();
  await github.close();
  const before = await held();
  const answer = await show(token);
  expect(answer.headers.get("retry-after")).toBe("30");
  expect(await outcome(answer)).toBe("503 unavailable");
  const others = await Promise.all(Array.from({ length: 20 }, async () => await show(token)));
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
  expect(await held()).toEqual(before);
  // Those of another service go on.
  await makeRule(labRule);
  expect((await show(await labToken())).status).toBe(201);
});
