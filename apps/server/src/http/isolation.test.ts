import { limits, type NamespaceId } from "@tidemark/protocol";
import { ndjsonType, type PullTail } from "@tidemark/protocol/wire";
import { beforeAll, expect, test } from "vitest";
import { routeTable, type RouteName } from "./route-table.ts";
import {
  claimServer,
  createTestWriter,
  joinServer,
  outcome,
  push,
  signedHeadersFor,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";
import { rightsTable } from "./testing/rights-table.ts";
import { createRightsWorld, type RightsWorld } from "./testing/rights-world.ts";

let world: RightsWorld;
beforeAll(async () => {
  world = await createRightsWorld();
});

interface Two {
  readonly harness: Harness;
  readonly ada: TestClient;
  readonly bob: TestClient;
  readonly a: NamespaceId;
  readonly b: NamespaceId;
}

/** Ada has team A and bob team B; neither is in the other's. */
async function twoTeams(): Promise<Two> {
  const harness = createHarness();
  const ada = await claimServer(harness);
  const { id: a } = await ada.createNamespace("team a");
  const invite = await ada.createLink({ kind: "invite", namespace: a });
  const bob = await joinServer(harness, invite, "bob");
  await ada.call("DELETE", `/v1/namespaces/${a}/members/${bob.admission.user.id}`);
  const { id: b } = await bob.createNamespace("team b");
  return { harness, ada, bob, a, b };
}

async function pulled(client: TestClient, namespace: NamespaceId, query = "") {
  const response = await client.send(`/v1/namespaces/${namespace}/records${query}`);
  if (response.status !== 200) throw new Error(await outcome(response));
  const lines = (await bodyText(response)).trimEnd().split("\n");
  const tail = JSON.parse(lines.at(-1) ?? "") as PullTail;
  return { states: lines.slice(0, -1), tail };
}

const records = (namespace: NamespaceId, after: string): string =>
  `/v1/namespaces/${namespace}/records?after=${encodeURIComponent(after)}`;

test("[NS21] a cursor is for the namespace that gave it, and one that was bent opens nothing (abuse 82)", async () => {
  const { ada, bob, a, b } = await twoTeams();
  await push(ada, a, createTestWriter("writer_a").body(["of a", "of a too"]));
  await push(bob, b, createTestWriter("writer_b").body(["of b", "of b too"]));
  const { cursor } = (await pulled(ada, a)).tail;
  expect(await outcome(await bob.send(records(b, cursor)))).toBe("409 history");
  expect(await outcome(await bob.send(records(a, cursor)))).toBe("404 not-found");
  const parts = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
  const bent = (...changed: readonly unknown[]): string =>
    Buffer.from(JSON.stringify(changed)).toString("base64url");
  const [version, seq, head, mark] = parts;
  for (const after of [
    `${cursor}A`,
    `${cursor}=`,
    cursor.slice(0, -2),
    bent(2, seq, head, mark),
    bent(version, -1, head, mark),
    bent(version, 1.5, head, mark),
    bent(version, Number(head) + 1, head, mark),
    bent(version, String(seq), head, mark),
    bent(version, seq, head, mark, "ns_b"),
    bent(version, seq, head, { mark }),
    "'; drop table records; --",
  ]) {
    expect(await outcome(await ada.send(records(a, after)))).toBe("400 invalid");
  }
  for (const after of [bent(version, seq, head, "guessed"), bent(version, 9, 9, mark)]) {
    expect(await outcome(await ada.send(records(a, after)))).toBe("409 history");
  }
});

/** A push of op lines that a test writes itself. */
async function pushLines(
  client: TestClient,
  namespace: NamespaceId,
  body: string,
): Promise<{ readonly results: readonly object[] }> {
  const answer = await push(client, namespace, body);
  return JSON.parse(await bodyText(answer)) as { results: readonly object[] };
}

test("[NS21] the path alone says where an op goes (abuse 83)", async () => {
  const { ada, bob, a, b } = await twoTeams();
  const before = await pulled(bob, b);
  const [header = "", line = ""] = createTestWriter("writer_a").body(["stray"]).split("\n");
  const named = `{"namespace":"${b}","namespace_id":"${b}","ns":"${b}",`;
  const stray = [header, line].map((part) => part.replace(/^\{/, named)).join("\n");
  const headers = { "x-namespace": b, "x-tidemark-namespace": b };
  expect((await push(ada, a, `${stray}\n`, headers)).status).toBe(200);
  expect((await pulled(ada, a)).states).toHaveLength(1);
  expect(await pulled(bob, b)).toEqual(before);
});

test("[NS8] an id that another namespace has is free in this one, and no conflict shows (abuse 84)", async () => {
  const { ada, bob, a, b } = await twoTeams();
  await push(bob, b, createTestWriter("writer_w").body(["of b"]));
  const before = await pulled(bob, b);
  const { results } = await pushLines(ada, a, createTestWriter("writer_w").body(["of a"]));
  expect(results).toEqual([]);
  const { states } = await pulled(ada, a);
  expect(states).toHaveLength(1);
  expect(states[0]).toContain("of a");
  expect(await pulled(bob, b)).toEqual(before);
});

test("[NS21] what names another namespace's record is text, and tells nothing of it (abuse 85)", async () => {
  const { ada, bob, a, b } = await twoTeams();
  await push(bob, b, createTestWriter("writer_b").body(["of b"]));
  const given = async (writer: string, target: string): Promise<unknown> => {
    const [header = "", line = ""] = createTestWriter(writer).body(["points"]).split("\n");
    const fields = { title: "points", supersededBy: target, session: target, sources: [target] };
    const op = line.replace(/"fields":\{[^}]*\}/, `"fields":${JSON.stringify(fields)}`);
    const { results } = await pushLines(ada, a, `${header}\n${op}\n`);
    const child = createTestWriter(`${writer}-child`).body(["child"]);
    const below = child.replace(/("collection":"observation")/, `$1,"parent":"${target}"`);
    return [results, (await pushLines(ada, a, below)).results];
  };
  const foreign = await given("writer_1", "writer_b-record-1");
  const random = await given("writer_2", "writer_z-record-1");
  expect(foreign).toEqual(random);
});

test("[NS21] one foreign id among many own ones is as one that nobody has (abuse 86)", async () => {
  const { ada, bob, a, b } = await twoTeams();
  await push(bob, b, createTestWriter("writer_b").body(["of b"]));
  const own = Array.from({ length: 99 }, (_, at) => `own ${at}`);
  await push(ada, a, createTestWriter("writer_a").body(own));
  const heal = async (foreign: string): Promise<string> => {
    const want = [...own.map((_, at) => `writer_a-record-${at + 1}`), foreign];
    const response = await ada.send(`/v1/namespaces/${a}/heal`, {
      method: "POST",
      headers: { "content-type": ndjsonType },
      body: `${JSON.stringify({ lamport: 0, want })}\n`,
    });
    return await bodyText(response);
  };
  const asked = await heal("writer_b-record-1");
  expect(asked).toBe(await heal("writer_z-record-1"));
  expect(asked.trimEnd().split("\n")).toHaveLength(100);
  expect(asked).toContain("own 98");
  expect(asked).not.toContain("of b");
});

test("[NS7] an ex-member's device stores nothing by old ids, whatever it sends (abuse 91)", async () => {
  const { ada, a, harness } = await twoTeams();
  const invite = await ada.createLink({ kind: "invite", namespace: a, role: "writer" });
  const eve = await joinServer(harness, invite, "eve");
  const writer = createTestWriter("writer_e");
  await push(eve, a, writer.body(["hers"]));
  const later = writer.body(["once more"]);
  await ada.call("DELETE", `/v1/namespaces/${a}/members/${eve.admission.user.id}`);
  const before = await pulled(ada, a);
  const [header = "", line = ""] = later.split("\n");
  const { fields: _, ...put } = JSON.parse(line) as { readonly fields: object };
  const change = (op: object): string => `${header}\n${JSON.stringify({ ...put, ...op })}\n`;
  const state = before.states[0]?.replace(/"seq":\d+,/, "") ?? "";
  for (const body of [
    later,
    change({ record: "writer_e-record-1", op: "set", fields: { title: "taken" }, base: {} }),
    change({ record: "writer_e-record-1", op: "forget" }),
  ]) {
    expect(await outcome(await push(eve, a, body))).toBe("404 not-found");
  }
  const healed = await eve.send(`/v1/namespaces/${a}/heal`, {
    method: "POST",
    headers: { "content-type": ndjsonType },
    body: `${JSON.stringify({ lamport: 9, want: ["writer_e-record-1"] })}\n${state}\n`,
  });
  expect(await outcome(healed)).toBe("404 not-found");
  expect(await pulled(ada, a)).toEqual(before);
});

const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

test("[WR15] another method, spelling or hint of a method never reaches a handler (abuse 92)", async () => {
  const reached: string[] = [];
  const names = Object.keys(routeTable) as RouteName[];
  for (const name of names) {
    const { path, ...sending } = rightsTable[name].request(world.a);
    const [bare = "", query] = path.split("?");
    const after = query === undefined ? "" : `?${query}`;
    const served = names.filter((other) => pathFits(routeTable[other].path, bare));
    const isServed = (method: string): boolean =>
      served.some((other) => routeTable[other].method === method);
    for (const method of methods.filter((one) => !isServed(one))) {
      const { status, hasChanged } = await world.send("owner", path, { method });
      if (status !== 404 || hasChanged) reached.push(`${method} ${path}`);
    }
    for (const spelling of [
      bare.toUpperCase(),
      bare.replace(/^\//, "//"),
      bare.replaceAll("/", "//"),
      `${bare}/`,
      `${bare};a=b`,
      `${bare}%2f`,
      `${bare}/..%2fdevices`,
      `/v1/nothing/..%2f..${bare}`,
    ]) {
      if (spelling === bare) continue;
      const { status, hasChanged } = await world.send("owner", spelling + after, sending);
      if (status !== 404 || hasChanged) reached.push(`${sending.method ?? "GET"} ${spelling}`);
    }
  }
  expect(reached).toEqual([]);
});

test("[WR15] a header that names another method changes none (abuse 92)", async () => {
  const { device } = world.a;
  for (const name of ["x-http-method-override", "x-method-override", "x-http-method"]) {
    const headers = { [name]: "DELETE", "content-type": "application/json" };
    const sent = { method: "PATCH", headers, body: JSON.stringify({ name: "mine" }) };
    const answer = await world.send("owner", `/v1/devices/${device}?_method=DELETE`, sent);
    expect(answer).toMatchObject({ status: 200, body: "{}" });
    const { body } = await world.send("owner", "/v1/devices", { headers: { [name]: "DELETE" } });
    expect(body).toContain(device);
  }
});

/** Whether a request's path is a route's. */
function pathFits(pattern: string, path: string): boolean {
  const parts = pattern.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, at) => part.startsWith(":") || part === given[at])
  );
}

const injections = [
  "'; SET tidemark.user_id='B'; --",
  "\\'",
  "$1",
  "%",
  "_",
  "E'\\\\x'",
  "'||pg_sleep(5)||'",
  '" or 1=1 --',
];

test("[WR10] text that means something to a database is stored as it is, or refused (abuse 104)", async () => {
  const { ada, a, harness } = await twoTeams();
  for (const [at, text] of injections.entries()) {
    const named = await ada.createNamespace(`${text} ${at}`);
    expect(named.name).toBe(`${text} ${at}`);
    const own = ada.admission.device.id;
    await ada.call("PATCH", `/v1/devices/${own}`, { name: text });
    const { device } = await ada.hello();
    expect(device?.name).toBe(text);
    await push(ada, a, createTestWriter(`writer_${at}`).body([text]));
    const { states } = await pulled(ada, a);
    expect(states.some((line) => line.includes(JSON.stringify(text)))).toBe(true);
    const asked = encodeURIComponent(text);
    // An underscore alone may be an id.
    if (text === "_") continue;
    for (const path of [
      `/v1/namespaces/${asked}/records`,
      `/v1/namespaces/${asked}/members`,
      `/v1/namespaces/${a}/records/${asked}/revisions`,
      `/v1/links/${asked}`,
      `/v1/audit?namespace=${asked}`,
    ]) {
      expect(await outcome(await sendAsWritten(harness, ada, path))).toBe("404 not-found");
    }
    for (const path of [
      `/v1/namespaces/${a}/records?after=${asked}`,
      `/v1/namespaces/${a}/records?writer=${asked}`,
      `/v1/namespaces/${a}/records?limit=${asked}`,
      `/v1/audit?after=${asked}`,
      `/v1/devices/log?limit=${asked}`,
    ]) {
      expect(await outcome(await ada.send(path))).toBe("400 invalid");
    }
  }
});

test("[WR10] a NUL and ten megabytes are refused without a word of the inside (abuse 104)", async () => {
  const { ada, a } = await twoTeams();
  const own = `/v1/devices/${ada.admission.device.id}`;
  const headers = { "content-type": "application/json" };
  const rename = async (name: string): Promise<string> => {
    const body = JSON.stringify({ name });
    return await outcome(await ada.send(own, { method: "PATCH", headers, body }));
  };
  expect(await rename("a\u0000b")).toBe("400 invalid");
  expect(await rename("x".repeat(10_000_000))).toBe("413 too-large");
  const huge = createTestWriter("writer_h").body(["x".repeat(limits.pushBytesMax)]);
  expect(await outcome(await push(ada, a, huge))).toBe("413 too-large");
  expect((await pulled(ada, a)).states).toEqual([]);
});

/** The path reaches the proof as it reaches the server: with what the URL has escaped. */
async function sendAsWritten(harness: Harness, client: TestClient, path: string) {
  const { pathname, search } = new URL(harness.url + path);
  const headers = await signedHeadersFor(harness, client, pathname + search);
  return await harness.app.fetch(new Request(harness.url + path, { headers }));
}
