import { ndjsonType, type PairFacts } from "@tidemark/protocol/wire";
import { errorKinds, type NamespaceId } from "@tidemark/protocol";
import { beforeAll, expect, test } from "vitest";
import { quotaPreset } from "../../domain/quota.ts";
import { createServerMetrics } from "../../metrics/server-metrics.ts";
import { createLog } from "../../platform/log.ts";
import { createSecretCheck } from "../../platform/secret-look/secret-check.ts";
import type { Answered } from "../middleware/observe.ts";
import { routeTable } from "../route-table.ts";
import {
  ask,
  askToken,
  assertionForm,
  claimServer,
  joinServer,
  post,
  type Server,
  type TestClient,
} from "../testing/client.ts";
import { bodyText, createHarness, type Harness } from "../testing/harness.ts";
import { createLineWriter, putLine, type LineWriter } from "../testing/line-writer.ts";
import { lookUpCode, pollCode, postProven, showCode } from "../testing/pairing.ts";

const canary = "canary7f3a";
const secrets = new Set<string>();
const lines: string[] = [];
let harness: Harness;
let scrape: () => Promise<string>;
let server: Server;

beforeAll(() => {
  const log = createLog({ level: "debug", write: (line) => lines.push(line) });
  const metrics = createServerMetrics({ version: "0", quota: quotaPreset, connectionsMax: 1 });
  const observer = {
    nowMs: () => 0,
    answered: (answer: Answered) => metrics.answered(answer),
    isLogged: true,
  };
  harness = createHarness({ log, secrets: createSecretCheck(), observer });
  scrape = async () =>
    await metrics.render({
      streams: () => harness.app.streams(),
      usage: async () => await harness.store.usage(),
      process: () => ({ memoryBytes: 1, cpuSeconds: 1, startedAtMs: 1 }),
    });
  server = {
    ...harness,
    setupSecret: async () => {
      const secret = await harness.setupSecret();
      secrets.add(secret);
      return secret;
    },
    app: { fetch: async (request) => await overheard(request) },
  };
});

/** Notes what a request carries that may not be written down. */
async function overheard(request: Request): Promise<Response> {
  for (const name of ["authorization", "dpop"]) {
    const shown = request.headers.get(name)?.replace(/^DPoP /u, "") ?? "";
    if (shown !== "") secrets.add(shown);
  }
  const text = await request.clone().text();
  for (const [, value = ""] of text.matchAll(/"(?:secret|auth|authHash|mac|salt|code)":"([^"]+)"/g))
    secrets.add(value);
  const assertion = new URLSearchParams(text).get("client_assertion");
  if (assertion !== null) secrets.add(assertion);
  return await harness.app.fetch(request);
}

const json = { "content-type": "application/json" };

/** People, devices, links and codes, as they should be and as they should not. */
async function admit(): Promise<{ owner: TestClient; second: TestClient }> {
  await post(server, "/v1/setup", { secret: `${canary}-wrong`, user: {}, device: {} });
  const owner = await claimServer(server);
  const link = await owner.createLink({ kind: "device" });
  const second = await joinServer(server, link, `${canary} laptop`);
  await joinServer(server, link, "again").catch(() => undefined);
  await post(server, "/v1/join", { id: link.id, auth: `${canary}-wrong`, mac: canary });
  const shown = await showCode(server, `${canary} phone`);
  secrets.add(shown.secret).add(shown.code);
  await lookUpCode(owner, shown.code).catch((cause: unknown): PairFacts | undefined => {
    expect(cause).toBeDefined();
    return undefined;
  });
  for (const path of ["/v1/pair/lookup", "/v1/pair/approve", "/v1/pair/deny"]) {
    const body = JSON.stringify({ code: "BCDFGHJK", id: shown.id });
    await owner.send(path, { method: "POST", headers: json, body });
  }
  await pollCode(server, shown);
  await pollCode(server, { ...shown, secret: `${canary}-wrong` });
  await postProven(server, "/v1/pair/start", { body: { device: canary } });
  return { owner, second };
}

/** Memories that are pushed, pulled, healed and refused. */
async function remember(client: TestClient): Promise<void> {
  const { namespaces = [] } = await client.hello();
  const namespace = namespaces[0]?.id ?? ("" as NamespaceId);
  const at = `/v1/namespaces/${namespace}`;
  const writer: LineWriter = createLineWriter(client, namespace, "writer_a");
  const key = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  secrets.add(key);
  const results = await writer.push([
    putLine(1, `{"title":"${canary}","${canary}_field":["${canary}"]}`),
    putLine(2, `{"title":"${key}"}`),
    putLine(3, `{"title":"${canary}"`),
    putLine(4, `{"__proto__":"${canary}"}`),
    putLine(5, `{"title":"${canary}"}`, { collection: `"${canary} !"` }),
  ]);
  expect(results).toHaveLength(4);
  const far = putLine(6, `{"title":"${canary}"}`, { lamport: "9007199254740991" });
  await expect(writer.push([far])).rejects.toThrow("lamport-too-far");
  const page = await bodyText(await client.send(`${at}/records?limit=10`));
  expect(page).toContain(canary);
  for (const path of [`${at}/records/record_1/revisions`, `${at}/digests?bucket=${canary}`])
    await client.send(path);
  const states = [
    `{"id":"record_9","collection":"c","fields":{"t":"${canary}"}}`,
    `{"${canary}`,
    canary,
  ];
  for (const header of ['{"lamport":1,"want":[]}', `{"${canary}":`]) {
    const body = `${[header, ...states].join("\n")}\n`;
    await client.send(`${at}/heal`, {
      method: "POST",
      headers: { "content-type": ndjsonType },
      body,
    });
  }
}

/** What goes wrong with words of the caller in it. */
async function fail(client: TestClient): Promise<void> {
  for (const path of [`/${canary}`, `/v1/hello?q=${canary}`, `/v1/links/${canary}`])
    for (const method of ["GET", "POST", "DELETE"]) await client.send(path, { method });
  await ask(server, "/v1/devices", { headers: { authorization: `DPoP ${canary}.${canary}.x` } });
  await ask(server, "/v1/hello", { headers: { "tidemark-protocol": canary, cookie: canary } });
  await askToken(server, client.device, { body: `client_assertion=${canary}` });
  const id = client.admission.device.id;
  const change = { id, claims: { sub: canary } };
  await askToken(server, client.device, {
    body: await assertionForm(server, client.device, change),
  });
  for (const body of [`{"name":"${canary}`, `{"name":"${canary}\u0000"}`, `{"${canary}":1}`])
    await client.send("/v1/namespaces", { method: "POST", headers: json, body });
}

test("[OPS2] a day's work leaves no secret and no memory in the log, at any level (abuse 139)", async () => {
  const { owner, second } = await admit();
  await remember(owner);
  await fail(owner);
  await owner.call("DELETE", `/v1/devices/${second.admission.device.id}`);
  await second.send("/v1/hello");
  expect(secrets.size).toBeGreaterThan(40);
  const log = `${lines.join("")}${await scrape()}`;
  expect(lines.length).toBeGreaterThan(40);
  expect(log).not.toContain(canary);
  for (const secret of secrets) {
    if (secret.length < 8) continue;
    expect(log.includes(secret)).toBe(false);
  }
});

test("[OPS86] a line of a request has its id, route, status, time, device and the refusal's code, and no more", () => {
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "request-answered" || event === "request-refused");
  const names = new Set(requests.flatMap((facts) => Object.keys(facts)));
  const known = [
    "code",
    "device",
    "event",
    "level",
    "ms",
    "ops",
    "requestId",
    "route",
    "status",
    "time",
  ];
  expect([...names].toSorted()).toEqual(known);
  expect(requests.find(({ route, status }) => route === "push" && status === 200)).toMatchObject({
    event: "request-answered",
    ops: 5,
    device: expect.stringMatching(/^dev_\w{8}$/) as string,
    requestId: expect.stringMatching(/^\w{16}$/) as string,
  });
  expect(requests.find(({ code }) => code === "lamport-too-far")).toMatchObject({
    event: "request-refused",
    route: "push",
    status: 409,
  });
  expect(requests.find(({ route }) => route === "none")).toMatchObject({ code: "not-found" });
});

test("[OPS84] no label of a metric is anybody's: routes, codes, results and outcomes alone", async () => {
  const labels = [...(await scrape()).matchAll(/(\w+)="([^"]*)"/g)];
  const values = (of: string) =>
    labels.filter(([, name]) => name === of).map((match) => match.slice(2).join(""));
  expect(new Set(labels.map(([, name]) => name))).toEqual(
    new Set(["route", "status", "le", "code", "result", "of", "outcome", "version"]),
  );
  const routes = new Set([...Object.keys(routeTable), "console", "none"]);
  expect(values("route").filter((route) => !routes.has(route))).toEqual([]);
  expect(values("code").filter((code) => !(code in errorKinds))).toEqual([]);
  expect(values("route").length).toBeGreaterThan(10);
});
