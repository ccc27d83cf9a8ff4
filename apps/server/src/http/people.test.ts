import { limits } from "@tidemark/protocol";
import {
  devicesAnswerSchema,
  healTailSchema,
  helloSchema,
  membersAnswerSchema,
  ndjsonType,
  revisionsAnswerSchema,
} from "@tidemark/protocol/wire";
import { HTTPException } from "hono/http-exception";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { noticeEveryMs, type HeadNotices } from "./pokes/head-watch.ts";
import { crowdedServer } from "./testing/crowded.ts";
import { bodyText, createHarness } from "./testing/harness.ts";
import {
  ask,
  claimServer,
  createTestWriter,
  joinServer,
  outcome,
  push,
  type TestClient,
} from "./testing/client.ts";

async function team() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { id } = await owner.createNamespace("acme");
  const invite = await owner.createLink({ kind: "invite", namespace: id });
  const bob = await joinServer(harness, invite, "bob");
  return { harness, owner, bob, id, members: `/v1/namespaces/${id}/members` };
}

async function change(client: TestClient, method: string, path: string, body?: object) {
  const headers = { "content-type": "application/json" };
  const sending = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  return await outcome(await client.send(path, sending));
}

test("[AD7] changes that are told for good are thirty of a kind in a minute and device", async () => {
  const { harness, bob, id, members } = await team();
  const own = `/v1/devices/${bob.admission.device.id}`;
  const changes: readonly (() => Promise<string>)[] = [
    () => change(bob, "PATCH", own, { name: `bob ${(count += 1)}` }),
    () => change(bob, "DELETE", "/v1/devices/dev_nobody"),
    () => change(bob, "DELETE", `${members}/usr_nobody`),
    () => change(bob, "PATCH", `${members}/usr_nobody`, { role: "reader" }),
    () => change(bob, "POST", "/v1/namespaces", { name: `team of ${id}` }),
  ];
  let count = 0;
  const rowsOf = async () => (await harness.store.accounts.verifyAudit()).rows;
  for (const once of changes) {
    for (let times = 0; times < 30; times += 1) expect(await once()).not.toContain("rate-limited");
    const rows = await rowsOf();
    expect(await once()).toBe("429 rate-limited");
    expect(await rowsOf()).toBe(rows);
  }
});

test("[AU13] members are listed, promoted and removed over the wire, within everybody's rights", async () => {
  const { owner, bob, members } = await team();
  const bobsId = bob.admission.user.id;
  const list = membersAnswerSchema.parse(await bob.call("GET", members));
  expect(list.members.map(({ user, role }) => [user.name, role])).toEqual([
    ["ada", "owner"],
    ["bob", "writer"],
  ]);
  expect(await change(bob, "PATCH", `${members}/${bobsId}`, { role: "admin" })).toBe(
    "403 forbidden",
  );
  expect(await change(owner, "PATCH", `${members}/${bobsId}`, { role: "king" })).toBe(
    "400 invalid",
  );
  expect(await change(owner, "PATCH", `${members}/${bobsId}`, { role: "admin" })).toBe("200");
  const ownersId = owner.admission.user.id;
  expect(await change(owner, "DELETE", `${members}/${ownersId}`)).toBe("409 last-owner");
  expect(await change(owner, "DELETE", `${members}/usr_unknown`)).toBe("404 not-found");
  expect(await change(owner, "DELETE", `${members}/${bobsId}`)).toBe("200");
  expect(await change(bob, "GET", members)).toBe("404 not-found");
});

test("[AU9] devices are listed and renamed, with when they were last heard of", async () => {
  const { harness, owner } = await team();
  const id = owner.admission.device.id;
  expect(await change(owner, "PATCH", `/v1/devices/${id}`, { name: "big laptop" })).toBe("200");
  expect(await change(owner, "PATCH", `/v1/devices/${id}`, { name: "a\nb" })).toBe("400 invalid");
  const { devices } = devicesAnswerSchema.parse(await owner.call("GET", "/v1/devices"));
  expect(devices).toMatchObject([
    { id, name: "big laptop", status: "active", lastSeenAt: harness.clock.nowMs() },
  ]);
});

test("[WR20] heal and revisions travel as the contract says", async () => {
  const { owner, id } = await team();
  await push(owner, id, createTestWriter("writer_a").body(["one", "two"]));
  const heal = async (body: string) =>
    await owner.send(`/v1/namespaces/${id}/heal`, {
      method: "POST",
      headers: { "content-type": ndjsonType },
      body,
    });
  const header = { lamport: 0, want: ["writer_a-record-1"] };
  const answer = await heal(`${JSON.stringify(header)}\n`);
  const lines = (await bodyText(answer)).trimEnd().split("\n");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seq: 1, id: "writer_a-record-1" });
  expect(healTailSchema.parse(JSON.parse(lines[1] ?? ""))).toMatchObject({ head: 2, refused: [] });
  expect(await outcome(await heal("{}\n"))).toBe("400 invalid");
  expect(await outcome(await heal("x".repeat(limits.healBytesMax + 1)))).toBe("413 too-large");
  const revisions = await owner.send(`/v1/namespaces/${id}/records/writer_a-record-1/revisions`);
  const { success } = revisionsAnswerSchema.safeParse(JSON.parse(await bodyText(revisions)));
  expect(success).toBe(true);
});

test("[OPS25] replicas that notify each other are told of pushes ten times a second at most", async () => {
  const published: (readonly [string, number])[][] = [];
  let listener: Parameters<HeadNotices["listen"]>[0] | undefined;
  const headNotices: HeadNotices = {
    publish: async ({ heads }) => await Promise.resolve(void published.push([...heads])),
    listen: async (given) => {
      listener = given;
      await Promise.resolve();
    },
  };
  const harness = createHarness({ headNotices });
  const owner = await claimServer(harness);
  const { namespaces = [] } = await owner.hello();
  const [personal] = namespaces;
  if (personal === undefined) throw new Error("no namespace");
  const writer = createTestWriter("writer_a");
  await push(owner, personal.id, writer.body(["one"]));
  await push(owner, personal.id, writer.body(["two"]));
  harness.tick(noticeEveryMs);
  expect(published).toEqual([[[personal.id, 2]]]);

  const stream = await owner.send("/v1/pokes");
  listener?.onHeads([
    [personal.id, 9],
    ["ns_foreign", 5],
  ]);
  const reader = stream.body?.getReader();
  let text = "";
  while (!text.includes('"head":9}')) {
    const piece = await reader?.read();
    if (piece?.value === undefined) throw new Error(`the stream ended: ${text}`);
    text += new TextDecoder().decode(piece.value);
  }
  expect(text).not.toContain("ns_foreign");
});

test("[WR11] an HTTP exception keeps its meaning", async () => {
  const codes: readonly (readonly [400 | 404 | 413 | 415 | 502, string])[] = [
    [400, "400 invalid"],
    [404, "404 not-found"],
    [413, "413 too-large"],
    [415, "415 unsupported-media-type"],
    [502, "500 internal"],
  ];
  for (const [status, expected] of codes) {
    const store = createMemoryStore({ clock: createTestClock() });
    const devices = async () =>
      await Promise.reject(new HTTPException(status, { message: "inner" }));
    const accounts = { ...store.accounts, devices };
    const harness = createHarness({ store: { ...store, accounts } });
    const owner = await claimServer(harness);
    expect(await outcome(await owner.send("/v1/devices"))).toBe(expected);
  }
});

test("[AU12] only a trusted proxy is believed about who calls", async () => {
  const harness = createHarness({ isTrustedProxy: (address) => address.startsWith("10.") });
  await claimServer(harness);
  const join = async (remoteAddress: string, forwarded: string): Promise<number> => {
    const headers = { "content-type": "application/json", "x-forwarded-for": forwarded };
    const request = new Request("https://a/v1/join", { method: "POST", headers, body: "{}" });
    const env = { incoming: { socket: { remoteAddress } } };
    return (await harness.app.fetch(request, env)).status;
  };
  for (let at = 0; at < 30; at += 1)
    expect(await join("203.0.113.1", `198.51.100.${at}`)).toBe(400);
  expect(await join("203.0.113.1", "198.51.100.99")).toBe(429);
  expect(await join("10.0.0.1", "203.0.113.1, 10.0.0.2")).toBe(429);
  expect(await join("10.0.0.1", "203.0.113.1, 198.51.100.7")).toBe(400);
  expect((await ask(harness, "/healthz")).status).toBe(200);
});

test("[WR42] hello lists no more namespaces than a client takes, the person's own among them", async () => {
  const { owner } = await crowdedServer(limits.namespacesMax);
  const { namespaces = [] } = helloSchema.parse(await owner.call("GET", "/v1/hello"));
  expect(namespaces).toHaveLength(limits.namespacesMax);
  expect(namespaces[0]).toMatchObject({ kind: "personal" });
});

test("[NS28] who asks for one namespace more than hello lists is told so, and what to do", async () => {
  const { owner } = await crowdedServer(limits.namespacesMax - 2);
  await owner.createNamespace("the last one");
  expect(await change(owner, "POST", "/v1/namespaces", { name: "one more" })).toBe("409 conflict");
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ name: "one more" });
  const answer = await owner.send("/v1/namespaces", { method: "POST", headers, body });
  expect(JSON.parse(await bodyText(answer))).toMatchObject({
    title: expect.stringMatching(/^You are in 4000 namespaces.*`tidemark namespace leave`/),
  });
  const { namespaces = [] } = helloSchema.parse(await owner.call("GET", "/v1/hello"));
  expect(namespaces).toHaveLength(limits.namespacesMax);
});
