import type { NamespaceId } from "@tidemark/protocol";
import {
  admissionSchema,
  digestsAnswerSchema,
  helloSchema,
  problemSchema,
  pullTailSchema,
  pushAnswerSchema,
} from "@tidemark/protocol/wire";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createTestDevice } from "../auth/testing/device.ts";
import { bodyText, createHarness } from "./testing/harness.ts";
import {
  ask,
  claimServer,
  createTestWriter,
  joinServer,
  newDevice,
  outcome,
  post,
  push,
} from "./testing/client.ts";

async function claimed() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { namespaces = [] } = await owner.hello();
  const personal = namespaces[0]?.id ?? ("" as NamespaceId);
  return { harness, owner, personal };
}

test("[AU1] setup, token, hello, namespace, push, pull: two commands and a first sync", async () => {
  const { harness, owner } = await claimed();
  const team = await owner.createNamespace("acme");
  expect(team).toMatchObject({ name: "acme", kind: "team", role: "owner", head: 0 });
  const writer = createTestWriter("writer_a");
  const pushed = await push(owner, team.id, writer.body(["one", "two"]));
  expect(pushed.status).toBe(200);
  const answer = pushAnswerSchema.parse(JSON.parse(await bodyText(pushed)));
  expect(answer).toMatchObject({ head: 2, results: [], position: { acked: 2 } });

  const link = await owner.createLink({ kind: "device" });
  const second = await joinServer(harness, link, "desktop");
  expect(second.admission.user).toEqual(owner.admission.user);
  const page = await second.send(
    `/v1/namespaces/${team.id}/records?writer=writer_b&after=&limit=10`,
  );
  const lines = (await bodyText(page)).trimEnd().split("\n");
  const tail = pullTailSchema.parse(JSON.parse(lines.at(-1) ?? ""));
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seq: 1, fields: { title: "one" } });
  expect(tail).toMatchObject({ head: 2, more: false, count: 2, position: null });
  const digests = await second.send(`/v1/namespaces/${team.id}/digests`);
  expect(digestsAnswerSchema.parse(JSON.parse(await bodyText(digests)))).toMatchObject({
    digest: tail.digest,
    count: 2,
  });
});

test("[WR13] hello tells a stranger the protocol, and a device who it is", async () => {
  const { harness, owner } = await claimed();
  const open = helloSchema.parse(JSON.parse(await bodyText(await ask(harness, "/v1/hello"))));
  expect(Object.keys(open).toSorted()).toEqual(["features", "limits", "protocol", "server"]);
  expect(open.server).toMatchObject({ id: "srv_test", time: harness.clock.nowMs() });
  const own = helloSchema.parse(await owner.hello());
  expect(own).toMatchObject({
    user: { name: "ada" },
    device: { name: "laptop" },
    namespaces: [{ kind: "personal", role: "owner", head: 0 }],
  });
});

test("[AU10] until it has an owner, a server answers setup and nothing else (abuse 1)", async () => {
  const harness = createHarness();
  const closed = ["/v1/devices", "/v1/pokes", "/v1/namespaces/ns_a/records", "/v1/unknown", "/"];
  for (const path of closed) {
    expect(await outcome(await ask(harness, path))).toBe("503 setup-required");
  }
  expect(await outcome(await post(harness, "/v1/join", {}))).toBe("503 setup-required");
  for (const path of ["/healthz", "/readyz", "/.well-known/jwks.json", "/v1/hello"]) {
    expect((await ask(harness, path)).status).toBe(200);
  }
});

async function setupRequest(secret: string, name: string): Promise<object> {
  return { secret, user: { name }, device: newDevice(await createTestDevice(name), name) };
}

test("[AU1] of many who open the setup link at once, one gets the server (abuse 3)", async () => {
  const harness = createHarness();
  const secret = await harness.setupSecret();
  const requests = await Promise.all(
    ["a", "b", "c", "d"].map((name) => setupRequest(secret, name)),
  );
  const answers = await Promise.all(
    requests.map(async (request) => await post(harness, "/v1/setup", request)),
  );
  const outcomes = await Promise.all(answers.map(outcome));
  expect(outcomes.toSorted()).toEqual([
    "201",
    ...Array.from({ length: 3 }, () => "409 already-claimed"),
  ]);
});

test("[AU1] every setup link of the last hour opens the server, until one did (abuse 4)", async () => {
  const harness = createHarness();
  const old = await harness.setupSecret();
  harness.clock.advance(1_800_000);
  const secret = await harness.setupSecret();
  const refused = "404 invalid-or-expired";
  const open = async (text: string) =>
    await outcome(await post(harness, "/v1/setup", await setupRequest(text, "a")));
  expect(await open("x".repeat(32))).toBe(refused);
  harness.clock.advance(1_800_000);
  expect(await open(old)).toBe(refused);
  const fresh = await harness.setupSecret();
  expect(await open(secret)).toBe("201");
  for (const used of [old, secret, fresh]) expect(await open(used)).toBe("409 already-claimed");
});

test("[AU1] a refused setup link says what to do next", async () => {
  const harness = createHarness();
  const secret = await harness.setupSecret();
  const titleFor = async (text: string): Promise<string> => {
    const response = await post(harness, "/v1/setup", await setupRequest(text, "a"));
    return problemSchema.parse(JSON.parse(await bodyText(response))).title;
  };
  expect(await titleFor("x".repeat(32))).toContain("`tidemark-server setup-link`");
  expect(await outcome(await post(harness, "/v1/setup", await setupRequest(secret, "a")))).toBe(
    "201",
  );
  const claimed = await titleFor(secret);
  expect(claimed).toContain("`tidemark device add`");
  // The link may have been one of owner-reset, opened too late.
  expect(claimed).toContain("on its host, `tidemark-server owner-reset`");
});

test("[AU1] the answer to setup names server, person and device, and tells the composition root", async () => {
  const claims: string[] = [];
  const onClaimed = async (id: string) => await Promise.resolve(void claims.push(id));
  const harness = createHarness({ onClaimed });
  const secret = await harness.setupSecret();
  const response = await post(harness, "/v1/setup", await setupRequest(secret, "ada"));
  const admission = admissionSchema.parse(JSON.parse(await bodyText(response)));
  expect(admission).toMatchObject({ server: { id: "srv_test" }, user: { name: "ada" } });
  expect(claims).toEqual(["srv_test"]);
  expect(harness.log.join("\n")).not.toContain(secret);
});

test("[WR12] bodies and pages travel as gzip where both sides can", async () => {
  const { owner, personal } = await claimed();
  const writer = createTestWriter("writer_a");
  const titles = Array.from({ length: 40 }, (_, at) => `a title of some length, number ${at}`);
  const packed = Uint8Array.from(gzipSync(writer.body(titles)));
  expect((await push(owner, personal, packed, { "content-encoding": "gzip" })).status).toBe(200);
  const path = `/v1/namespaces/${personal}/records`;
  const page = await owner.send(path, { headers: { "accept-encoding": "br, gzip" } });
  expect(page.headers.get("content-encoding")).toBe("gzip");
  const lines = gunzipSync(Buffer.from(await page.arrayBuffer()))
    .toString("utf8")
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(41);
  const plain = await owner.send(path, { headers: { "accept-encoding": "gzip;q=0, br" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect((await plain.text()).trimEnd().split("\n")).toEqual(lines);
});

test("[WR10] a push that does not follow is answered with the position to go on from", async () => {
  const { owner, personal } = await claimed();
  const first = createTestWriter("writer_a").body(["one"]);
  expect((await push(owner, personal, first)).status).toBe(200);
  const again = await push(owner, personal, first);
  expect(again.status).toBe(409);
  const problem = JSON.parse(await bodyText(again));
  expect(problemSchema.parse(problem)).toMatchObject({ code: "writer-position", family: "heal" });
  expect(problem).toMatchObject({ acked: 1, since: 0, results: [] });
});

test("[WR14] who is too old or too new is told which of the two", async () => {
  const { owner } = await claimed();
  const send = async (version: string) =>
    await outcome(await owner.send("/v1/devices", { headers: { "tidemark-protocol": version } }));
  expect(await send("1")).toBe("200");
  expect(await send("2")).toBe("426 upgrade-server");
  for (const version of ["0", "-1", "one", "1.5", "1, 2"])
    expect(await send(version)).toBe("400 invalid");
  const hello = await owner.send("/v1/hello", { headers: { "tidemark-protocol": "99" } });
  expect(hello.status).toBe(200);
});
