import { base64url } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../platform/hash.ts";
import {
  ask,
  askToken,
  assertionForm,
  claimServer,
  createClient,
  joinServer,
  outcome,
  signedHeadersFor,
  type Sending,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";

let harness: Harness;
let owner: TestClient;
/** Another device of the owner's, and the path that shuts it out. */
let desk: TestClient;
let deskPath: string;

beforeEach(async () => {
  harness = createHarness();
  owner = await claimServer(harness);
  // Not a new device any more.
  harness.clock.advance(16 * 60_000);
  owner = await announcing(["qh"]);
  desk = await joinServer(harness, await owner.createLink({ kind: "device" }), "desk");
  deskPath = `/v1/devices/${desk.admission.device.id}`;
});

/** The owner's laptop, with a token for which it has said what its proofs carry. */
async function announcing(proofs: readonly string[]): Promise<TestClient> {
  const { device, admission } = owner;
  const form = await assertionForm(harness, device, {
    id: admission.device.id,
    claims: { proofs },
  });
  const granted = await askToken(harness, device, { body: form });
  const { access_token: token } = JSON.parse(await bodyText(granted)) as { access_token: string };
  return createClient(harness, { device, admission, token });
}

/** As clients of before sign: nothing is said of the query. */
const unsigned: Sending = {
  proof: ({ header, claims: { qh: _query, ...claims } }) => ({ header, claims }),
};

function signedFor(query: unknown): Sending {
  return { proof: ({ header, claims }) => ({ header, claims: { ...claims, qh: query } }) };
}

function hash(query: string): string {
  return base64url.encode(sha256(query));
}

/** What a proxy that opens TLS makes of a request: the proof stays, the address does not. */
async function rewritten(
  client: TestClient,
  signed: { readonly path: string; readonly sending?: Sending },
  path: string,
): Promise<string> {
  const { method = "GET" } = signed.sending ?? {};
  const headers = await signedHeadersFor(harness, client, signed.path, signed.sending);
  return await outcome(await ask(harness, path, { method, headers: { ...headers } }));
}

async function lasting(): Promise<string> {
  const { accounts } = harness.store;
  const devices = await accounts.devices(owner.admission.device.id);
  const links = await accounts.links(owner.admission.device.id, harness.clock.nowMs());
  const { rows } = await accounts.verifyAudit();
  return JSON.stringify([devices.map(({ id, status }) => [id, status]), links, rows]);
}

describe("[AU24] the query that is signed is the one that is taken (abuse 69)", () => {
  test("a proxy that adds to one, takes from it or changes it reaches no handler", async () => {
    const before = await lasting();
    const sending = { method: "DELETE" };
    const own = `/v1/devices/${owner.admission.device.id}`;
    const pairs = [
      [own, `${own}?force=true`],
      [own, `${own}?#&force=true`],
      [own, `${own}#?force=true`],
      [`${own}?force=false`, `${own}?force=true`],
      [`${own}?force=false`, `${own}?force=true&force=false`],
      [`${own}?force=true`, own],
      [`${own}?force=true`, `${own}?force=true&force=true`],
      [`${own}?force=true`, `${own}?FORCE=true`],
      [`${own}?force=true`, `${own}?force=%74rue`],
    ] as const;
    for (const [signed, sent] of pairs) {
      const told = await rewritten(owner, { path: signed, sending }, sent);
      expect({ sent, told }).toEqual({ sent, told: "401 query-changed" });
    }
    const [read, page] = ["/v1/devices/log?limit=1", "/v1/devices/log?limit=2"];
    expect(await rewritten(owner, { path: read }, page)).toBe("401 query-changed");
    expect(await rewritten(owner, { path: read }, "/v1/devices/log")).toBe("401 query-changed");
    expect(await lasting()).toBe(before);
  });

  test("as it was sent it is taken, and where there is none that is signed as well", async () => {
    expect(await outcome(await owner.send("/v1/devices/log?limit=1&after="))).toBe("200");
    expect(await outcome(await owner.send("/v1/devices"))).toBe("200");
    expect(await outcome(await owner.send(deskPath, { method: "DELETE" }))).toBe("200");
    const own = `/v1/devices/${owner.admission.device.id}`;
    expect(await outcome(await owner.send(own, { method: "DELETE" }))).toBe("409 last-device");
    expect(await outcome(await owner.send(`${own}?force=true`, { method: "DELETE" }))).toBe("200");
  });

  test("a device that says it signs them does, with and without one", async () => {
    const before = await lasting();
    for (const path of ["/v1/devices", "/v1/devices/log?limit=1"]) {
      expect(await outcome(await owner.send(path, unsigned))).toBe("401 invalid-token");
    }
    for (const query of [1, null, ["force=true"], {}]) {
      const told = await outcome(await owner.send("/v1/devices", signedFor(query)));
      expect(told).toBe("401 invalid-token");
    }
    for (const query of ["", hash("force=true"), `${hash("")}=`]) {
      const told = await outcome(await owner.send("/v1/devices", signedFor(query)));
      expect(told).toBe("401 query-changed");
    }
    expect(await lasting()).toBe(before);
  });
});

describe("[AU24] a client of before, which signs no query,", () => {
  test("goes on reading, and changing what takes no query", async () => {
    const earlier = await announcing(["bh"]);
    for (const path of ["/v1/devices", "/v1/devices/log?limit=1", "/v1/hello"]) {
      expect(await outcome(await earlier.send(path, unsigned))).toBe("200");
    }
    const revoking = { ...unsigned, method: "DELETE" };
    expect(await outcome(await earlier.send(deskPath, revoking))).toBe("200");
  });

  test("changes nothing by one, whoever has added it: not a last device, not a fleet", async () => {
    const { namespaces = [] } = await owner.hello();
    const namespace = namespaces[0]?.id;
    const fleet = await owner.createLink({ kind: "ci", namespace, role: "writer" });
    await joinServer(harness, fleet, "runner");
    const earlier = await announcing(["bh"]);
    const before = await lasting();
    const sending = { ...unsigned, method: "DELETE" };
    const signed = [`/v1/links/${fleet.id}`, deskPath] as const;
    for (const path of signed) {
      for (const query of ["?devices=revoke", "?force=true", "?x", "?#&force=true"]) {
        expect(await rewritten(earlier, { path, sending }, path + query)).toBe(
          "426 upgrade-client",
        );
      }
    }
    expect(await lasting()).toBe(before);
    // A proxy cannot take the signature of the query off a proof, and none off a device's word.
    expect(await outcome(await owner.send(signed[0], sending))).toBe("401 invalid-token");
    expect(await lasting()).toBe(before);
  });
});
