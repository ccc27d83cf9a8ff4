import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { AuditAnswer, LinkInfo } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import { secretHash } from "../auth/link-secrets.ts";
import { createTestDevice } from "../auth/testing/device.ts";
import { createNetworkCheck } from "../networks.ts";
import { sha256 } from "../platform/hash.ts";
import type { AppEnv } from "./app-env.ts";
import {
  askToken,
  assertionForm,
  claimServer,
  createClient,
  createTestWriter,
  joinRequest,
  joinServer,
  outcome,
  post,
  push,
  signIn,
  type Server,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";

const networks = ["10.0.0.0/8", "2001:db8::/32", "203.0.113.7"];
const inside = "10.1.2.3";
const outside = "198.51.100.9";

/** The server as somebody at an address reaches it. */
function from(harness: Harness, remoteAddress: string, hops?: string): Server {
  const env: AppEnv["Bindings"] = { incoming: { socket: { remoteAddress } } };
  return {
    ...harness,
    app: {
      fetch: async (request) => {
        if (hops !== undefined) request.headers.set("x-forwarded-for", hops);
        return await harness.app.fetch(request, env);
      },
    },
  };
}

async function world(given: Parameters<typeof createHarness>[0] = {}) {
  const harness = createHarness(given);
  const owner = await claimServer(harness);
  const { id: acme } = await owner.createNamespace("acme");
  const auth = "auth of a link that is bound";
  const authHash = secretHash({ sha256 }, auth);
  const asked = { kind: "ci", namespace: acme, role: "writer", networks, authHash };
  const { id } = await owner.call<{ id: string }>("POST", "/v1/links", asked);
  const link = { id, auth };
  return { harness, owner, acme, link };
}

async function refusals(owner: TestClient, namespace: NamespaceId): Promise<readonly object[]> {
  const path = `/v1/audit?namespace=${namespace}&limit=200`;
  const { items } = await owner.call<AuditAnswer>("GET", path);
  return items
    .filter(({ event }) => event.endsWith("-refused"))
    .map(({ event, target, network }) => ({ event, target, network }));
}

async function uses(owner: TestClient): Promise<number | undefined> {
  const { links } = await owner.call<{ links: readonly LinkInfo[] }>("GET", "/v1/links");
  return links[0]?.uses;
}

test.each([inside, "::ffff:10.1.2.3", "::ffff:a01:203", "2001:db8:1::9", "203.0.113.7"])(
  "[PR14] a link for machines opens from its networks: %s (abuse 33)",
  async (address) => {
    const { harness, owner, acme, link } = await world();
    const box = await joinServer(from(harness, address), link, "box");
    expect(await box.hello()).toMatchObject({ namespaces: [{ id: acme }] });
    expect(await uses(owner)).toBe(1);
    expect(await refusals(owner, acme)).toEqual([]);
  },
);

test.each(["11.0.0.1", "::ffff:11.0.0.1", "2001:db9::1", "203.0.113.8", "::1"])(
  "[PR14] from elsewhere it is a link that there is not, and uses nothing up: %s (abuse 33)",
  async (address) => {
    const { harness, owner, link } = await world();
    const device = await createTestDevice("box");
    const at = from(harness, address);
    const answers = await Promise.all(
      [link, { ...link, id: "unknown0" }].map(async (given) => {
        const sent = await post(at, "/v1/join", joinRequest(given, device, "box"));
        const { requestId, ...body } = JSON.parse(await bodyText(sent)) as { requestId: string };
        expect(requestId).not.toBe("");
        return { status: sent.status, ...body };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 404, code: "invalid-or-expired" });
    expect(answers[0]).toEqual(answers[1]);
    expect(await uses(owner)).toBe(0);
    // Its key was not kept either: the same device joins from where it may.
    const later = await post(from(harness, inside), "/v1/join", joinRequest(link, device, "box"));
    expect(later.status).toBe(201);
  },
);

test("[PR14] an address that a stranger writes into a header opens nothing (abuse 33, 132)", async () => {
  const isTrustedProxy = createNetworkCheck(["192.0.2.1"]);
  const { harness, owner, link } = await world({ isTrustedProxy });
  const device = await createTestDevice("box");
  const request = joinRequest(link, device, "box");
  const join = async (at: Server): Promise<string> =>
    await outcome(await post(at, "/v1/join", request));
  const over = "404 invalid-or-expired";
  expect(await join(from(harness, outside, inside))).toBe(over);
  expect(await join(from(harness, outside, `${inside}, 192.0.2.1`))).toBe(over);
  expect(await join(from(harness, "192.0.2.1", `${inside}, ${outside}`))).toBe(over);
  // Where no address is known at all it is in none of the networks.
  expect(await join(harness)).toBe(over);
  expect(await uses(owner)).toBe(0);
  expect(await join(from(harness, "192.0.2.1", `${outside}, ${inside}`))).toBe("201");
});

test("[PR14] the audit says once an hour why a link did not open, to its maker and to admins", async () => {
  const { harness, owner, acme, link } = await world();
  const device = await createTestDevice("box");
  const refused = { event: "link-refused", target: link.id, network: "198.51.100.0/24" };
  const attempt = async (given = link): Promise<void> => {
    const request = joinRequest(given, device, "box");
    expect((await post(from(harness, outside), "/v1/join", request)).status).toBe(404);
  };
  await attempt({ ...link, auth: "a wrong secret of the link" });
  expect(await refusals(owner, acme)).toEqual([]);
  await attempt();
  await attempt();
  expect(await refusals(owner, acme)).toEqual([refused]);
  const log = await owner.call<AuditAnswer>("GET", "/v1/devices/log");
  expect(log.items[0]).toMatchObject({ ...refused, about: owner.admission.user });
  expect(JSON.stringify(log) + harness.log.join("\n")).not.toContain(outside);
  harness.clock.advance(3_600_000);
  await attempt();
  const later = await signIn(harness, owner.device, owner.admission);
  expect(await refusals(later, acme)).toEqual([refused, refused]);
});

test("[PR14] a machine's key and token are good in its link's networks alone (abuse 33)", async () => {
  const { harness, owner, acme, link } = await world();
  const at = from(harness, inside);
  const box = await joinServer(at, link, "box");
  const { device, admission, token } = box;
  const thief = createClient(from(harness, outside), { device, admission, token });
  const writer = createTestWriter("w1");
  const refused = "401 invalid-token";
  expect(await outcome(await push(thief, acme, writer.body(["stolen"])))).toBe(refused);
  expect(await outcome(await thief.send("/v1/hello"))).toBe(refused);
  const form = await assertionForm(harness, device, { id: admission.device.id });
  const asked = await askToken(from(harness, outside), device, { body: form });
  expect(await outcome(asked)).toBe(refused);
  expect(await owner.hello()).toMatchObject({ namespaces: [{}, { id: acme, head: 0 }] });
  const target: DeviceId = admission.device.id;
  expect(await refusals(owner, acme)).toEqual([
    { event: "device-refused", target, network: "198.51.100.0/24" },
  ]);
  // At home it goes on, with the token that it has and with a new one.
  expect((await push(box, acme, createTestWriter("w2").body(["own"]))).status).toBe(200);
  harness.clock.advance(1_000);
  expect((await (await signIn(at, device, admission)).send("/v1/hello")).status).toBe(200);
});

test("[PR14] only links for machines name networks, which are at least one and all real", async () => {
  const { owner, acme } = await world();
  const make = async (request: object): Promise<string> => {
    const body = JSON.stringify({ authHash: "A".repeat(43), ...request });
    const headers = { "content-type": "application/json" };
    const made = await owner.send("/v1/links", { method: "POST", body, headers });
    return made.status === 201 ? "201" : await outcome(made);
  };
  const ci = { kind: "ci", namespace: acme };
  const wrong = [
    "10.0.0.0/33",
    "2001:db8::/129",
    "10.0.0",
    "everyone",
    "10.0.0.0/8/9",
    "",
    "a.b/8",
  ];
  for (const one of wrong) {
    expect(await make({ ...ci, networks: [inside, one] })).toBe("400 invalid");
  }
  expect(await make({ ...ci, networks: [] })).toBe("400 invalid");
  expect(await make({ ...ci, networks: Array.from({ length: 17 }, () => inside) })).toBe(
    "400 invalid",
  );
  expect(await make({ kind: "device", networks })).toBe("400 invalid");
  expect(await make({ kind: "invite", namespace: acme, networks })).toBe("400 invalid");
  expect(await make({ ...ci, networks: ["0.0.0.0/0", "::/0"] })).toBe("201");
  expect((await owner.hello()).features).toContain("link-networks");
});
