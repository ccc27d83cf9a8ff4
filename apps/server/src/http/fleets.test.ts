import type { NamespaceId } from "@tidemark/protocol";
import type { DeviceInfo, LinkInfo } from "@tidemark/protocol/wire";
import { describe, expect, test } from "vitest";
import { createTestDevice } from "../auth/testing/device.ts";
import { routeTable, type RouteName } from "./route-table.ts";
import {
  claimServer,
  createTestWriter,
  joinRequest,
  joinServer,
  outcome,
  post,
  push,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness } from "./testing/harness.ts";

async function world() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { namespaces = [] } = await owner.hello();
  const { id: acme } = await owner.createNamespace("acme");
  return { harness, owner, acme, personal: namespaces[0]?.id ?? ("" as NamespaceId) };
}

async function links(client: TestClient): Promise<readonly LinkInfo[]> {
  return (await client.call<{ links: readonly LinkInfo[] }>("GET", "/v1/links")).links;
}

async function devices(client: TestClient): Promise<readonly DeviceInfo[]> {
  return (await client.call<{ devices: readonly DeviceInfo[] }>("GET", "/v1/devices")).devices;
}

const over = "404 invalid-or-expired";

test("[PR8] a link for machines lets in twenty unless told otherwise, and not one more (abuse 33)", async () => {
  const { harness, owner, acme } = await world();
  const link = await owner.createLink({ kind: "ci", namespace: acme });
  for (let count = 0; count < 20; count += 1) await joinServer(harness, link, `box-${count}`);
  const last = joinRequest(link, await createTestDevice("box-20"), "box-20");
  expect(await outcome(await post(harness, "/v1/join", last))).toBe(over);
  const brief = await owner.createLink({ kind: "ci", namespace: acme, ttlSeconds: 60 });
  harness.clock.advance(60_000);
  const late = joinRequest(brief, await createTestDevice("late"), "late");
  expect(await outcome(await post(harness, "/v1/join", late))).toBe(over);
  expect((await devices(owner)).filter(({ kind }) => kind === "ci")).toHaveLength(20);
});

test("[PR8] nobody makes a link for machines that gives more than a writer or than they have", async () => {
  const { harness, owner, acme, personal } = await world();
  const bob = await joinServer(
    harness,
    await owner.createLink({ kind: "invite", namespace: acme, role: "reader" }),
    "bob",
  );
  const make = async (client: TestClient, request: object): Promise<string> => {
    const body = JSON.stringify({ kind: "ci", authHash: "A".repeat(43), ...request });
    const headers = { "content-type": "application/json" };
    const made = await client.send("/v1/links", { method: "POST", body, headers });
    return made.status === 201 ? "201" : await outcome(made);
  };
  expect(await make(owner, { namespace: acme, role: "admin" })).toBe("400 invalid");
  expect(await make(owner, { namespace: acme, uses: 101 })).toBe("400 invalid");
  expect(await make(owner, { namespace: acme, ttlSeconds: 2_592_001 })).toBe("400 invalid");
  expect(await make(owner, {})).toBe("400 invalid");
  expect(await make(owner, { kind: "device", uses: 2 })).toBe("400 invalid");
  expect(await make(bob, { namespace: acme, role: "writer" })).toBe("403 forbidden");
  expect(await make(bob, { namespace: personal, role: "reader" })).toBe("404 not-found");
  expect(await make(bob, { namespace: acme, role: "reader" })).toBe("201");
  expect(await make(owner, { namespace: personal, role: "reader" })).toBe("201");
});

test("[PR8] what a machine asks for beside widens nothing (abuse 34)", async () => {
  const { harness, owner, acme, personal } = await world();
  const link = await owner.createLink({ kind: "ci", namespace: acme, role: "reader" });
  const device = await createTestDevice("box");
  const wider = { role: "admin", namespace: personal, ttlSeconds: 9, kind: "device" };
  const sent = await post(harness, "/v1/join", { ...joinRequest(link, device, "box"), ...wider });
  expect(sent.status).toBe(201);
  expect(await devices(owner)).toContainEqual(
    expect.objectContaining({ name: "box", kind: "ci", namespace: acme, roleMax: "reader" }),
  );
});

describe("[PR9] a machine", () => {
  async function machine(role: "reader" | "writer") {
    const made = await world();
    const link = await made.owner.createLink({ kind: "ci", namespace: made.acme, role, uses: 5 });
    return { ...made, box: await joinServer(made.harness, link, "box"), link };
  }

  test("is told of its namespace alone, and of nothing that happens to its person", async () => {
    const { box, owner, acme, harness } = await machine("writer");
    await joinServer(harness, await owner.createLink({ kind: "device" }), "phone");
    const hello = await box.hello();
    expect(hello.namespaces).toMatchObject([{ id: acme, role: "writer" }]);
    expect(JSON.stringify(hello)).not.toContain("phone");
    expect(JSON.stringify(await owner.hello())).toContain("phone");
  });

  test("writes where it may, and every other namespace looks absent", async () => {
    const { box, acme, personal } = await machine("writer");
    expect((await push(box, acme, createTestWriter("w1").body(["a"]))).status).toBe(200);
    expect(await outcome(await push(box, personal, createTestWriter("w2").body(["b"])))).toBe(
      "404 not-found",
    );
    for (const path of ["records", "digests", "members", "records/r1/revisions"]) {
      const asked = await box.send(`/v1/namespaces/${personal}/${path}`);
      expect(await outcome(asked)).toBe("404 not-found");
      expect((await box.send(`/v1/namespaces/${acme}/${path}`)).status).toBe(200);
    }
  });

  test("that reads may not write, although its person may", async () => {
    const { box, owner, acme } = await machine("reader");
    const pushed = await push(box, acme, createTestWriter("w1").body(["a"]));
    expect(await bodyText(pushed)).toContain("forbidden");
    expect(await owner.hello()).toMatchObject({ namespaces: [{}, { id: acme, head: 0 }] });
  });

  const forPeople = (Object.keys(routeTable) as RouteName[]).filter(
    (name) => routeTable[name].auth === "person",
  );

  test.each(forPeople)("may not call %s (abuse 20)", async (name) => {
    const { box, owner, acme } = await machine("writer");
    // Its first request notes that it was seen.
    await box.hello();
    const before = [await links(owner), await devices(owner)];
    const path = routeTable[name].path
      .replace(":namespace", acme)
      .replace(/:\w+/, owner.admission.device.id);
    const { method } = routeTable[name];
    const headers = { "content-type": "application/json" };
    const body = method === "POST" || method === "PATCH" ? { body: "{}" } : {};
    expect(await outcome(await box.send(path, { method, headers, ...body }))).toBe(
      "403 device-limited",
    );
    expect([await links(owner), await devices(owner)]).toEqual(before);
  });

  test("may call nothing else but sync and who it is", () => {
    const open = (Object.keys(routeTable) as RouteName[]).filter((name) =>
      ["device", "maybe"].includes(routeTable[name].auth),
    );
    expect(open.toSorted()).toEqual(
      ["digests", "heal", "hello", "members", "pokes", "pull", "push", "revisions"].toSorted(),
    );
  });
});

test("[PR10] links that open are listed with the uses left, and one is revoked with its machines", async () => {
  const { harness, owner, acme } = await world();
  const link = await owner.createLink({ kind: "ci", namespace: acme, uses: 3 });
  const box = await joinServer(harness, link, "box");
  expect(await links(owner)).toMatchObject([
    { id: link.id, kind: "ci", status: "open", uses: 1, usesMax: 3, devices: 1, namespace: acme },
  ]);
  const bob = await joinServer(
    harness,
    await owner.createLink({ kind: "invite", namespace: acme, role: "writer" }),
    "bob",
  );
  const path = `/v1/links/${link.id}`;
  expect(await outcome(await bob.send(path, { method: "DELETE" }))).toBe("404 not-found");
  expect(await outcome(await box.send(path, { method: "DELETE" }))).toBe("403 device-limited");
  expect(await owner.call("DELETE", path)).toEqual({ devices: [] });
  const next = joinRequest(link, await createTestDevice("box-2"), "box-2");
  expect(await outcome(await post(harness, "/v1/join", next))).toBe(over);
  expect(await box.hello()).toMatchObject({ namespaces: [{ id: acme }] });
  expect(await owner.call("DELETE", `${path}?devices=revoke`)).toEqual({
    devices: [box.admission.device.id],
  });
  expect(await outcome(await box.send("/v1/hello"))).toBe("401 device-revoked");
  expect(await links(owner)).toEqual([]);
});

test("[PR10] an invite that is ended leaves those alone whom it let in", async () => {
  const { harness, owner, acme } = await world();
  const invite = (client: TestClient, role: string) =>
    client.createLink({ kind: "invite", namespace: acme, role });
  const admin = await joinServer(harness, await invite(owner, "admin"), "mallory");
  const link = await invite(admin, "writer");
  const grace = await joinServer(harness, link, "grace");
  await owner.call("DELETE", `/v1/namespaces/${acme}/members/${admin.admission.user.id}`);
  const ended = await admin.call("DELETE", `/v1/links/${link.id}?devices=revoke`);
  expect(ended).toEqual({ devices: [] });
  expect((await grace.send("/v1/hello")).status).toBe(200);
});

test("[PR10] an admin ends another's link for machines of the namespace, with the machines", async () => {
  const { harness, owner, acme } = await world();
  const invited = await owner.createLink({ kind: "invite", namespace: acme, role: "reader" });
  const reader = await joinServer(harness, invited, "grace");
  const link = await reader.createLink({ kind: "ci", namespace: acme, role: "reader" });
  const box = await joinServer(harness, link, "box");
  expect(await links(owner)).toMatchObject([{ id: link.id, maker: reader.admission.user }]);
  expect(await owner.call("DELETE", `/v1/links/${link.id}?devices=revoke`)).toEqual({
    devices: [box.admission.device.id],
  });
  expect(await outcome(await box.send("/v1/hello"))).toBe("401 device-revoked");
  expect((await reader.send("/v1/hello")).status).toBe(200);
});

test("[PR8] an unknown link, a wrong secret and a link that is over answer alike (abuse 36)", async () => {
  const { harness, owner, acme } = await world();
  const link = await owner.createLink({ kind: "ci", namespace: acme, uses: 1 });
  const join = async (given: { id: string; auth: string }): Promise<object> => {
    const device = await createTestDevice("box");
    const sent = await post(harness, "/v1/join", joinRequest(given, device, "box"));
    const { requestId, ...body } = JSON.parse(await bodyText(sent)) as { requestId: string };
    expect(requestId).not.toBe("");
    return { status: sent.status, ...body };
  };
  const wrongSecret = await join({ ...link, auth: "another secret of a link" });
  expect(wrongSecret).toMatchObject({ status: 404, code: "invalid-or-expired" });
  expect(await join({ ...link, id: "unknown0" })).toEqual(wrongSecret);
  await joinServer(harness, link, "first");
  expect(await join(link)).toEqual(wrongSecret);
});
