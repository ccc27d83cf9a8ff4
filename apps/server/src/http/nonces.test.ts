import { base64url, decodeJwt } from "jose";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../platform/hash.ts";
import {
  askToken,
  assertionForm,
  claimServer,
  createClient,
  outcome,
  type Sending,
  type TestClient,
} from "./testing/client.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";

/** A device that says what its proofs carry, and the nonce that came with its token. */
interface Announced {
  readonly client: TestClient;
  readonly nonce: string;
}

let harness: Harness;
let owner: TestClient;

beforeEach(async () => {
  harness = createHarness();
  owner = await claimServer(harness);
});

async function announce(proofs: unknown, server: Harness = harness): Promise<Announced> {
  const { device, admission } = owner;
  const change = { id: admission.device.id, claims: { proofs } };
  const body = await assertionForm(server, device, change);
  const answer = await askToken(server, device, { body });
  const nonce = answer.headers.get("dpop-nonce") ?? "";
  const { access_token: token } = JSON.parse(await bodyText(answer)) as { access_token: string };
  return { client: createClient(server, { device, admission, token }), nonce };
}

function withClaims(added: object): Sending {
  return { proof: ({ header, claims }) => ({ header, claims: { ...claims, ...added } }) };
}

async function ask({ client }: Announced, added: object): Promise<string> {
  return await outcome(await client.send("/v1/devices", withClaims(added)));
}

const asked = "401 use-dpop-nonce";

describe("[AU17] a device that says its proofs carry nonces", () => {
  test("is asked for one, and told it with the refusal (abuse 66)", async () => {
    const { client } = await announce(["nonce"]);
    const refused = await client.send("/v1/devices");
    expect(refused.headers.get("www-authenticate")).toBe(
      'DPoP error="use_dpop_nonce", algs="Ed25519"',
    );
    const nonce = refused.headers.get("dpop-nonce") ?? "";
    expect(await outcome(refused)).toBe(asked);
    expect(await ask({ client, nonce }, { nonce })).toBe("200");
  });

  test("shows one of this server, and no old, foreign, changed or empty one (abuse 66)", async () => {
    const announced = await announce(["nonce", "bh", "more"]);
    const { nonce } = announced;
    const stranger = createHarness({ random: { bytes: (count) => new Uint8Array(count).fill(7) } });
    await claimServer(stranger);
    const foreign = (await announceAt(stranger)).nonce;
    const bytes = base64url.decode(nonce);
    const later = bytes.map((byte, at) => (at === 7 ? byte ^ 1 : byte));
    const forged = bytes.map((byte, at) => (at === 23 ? byte ^ 1 : byte));
    const wrong = ["", foreign, `${nonce}A`, nonce.slice(1), "x".repeat(32), "é".repeat(32)];
    for (const other of [...wrong, base64url.encode(later), base64url.encode(forged)]) {
      expect(await ask(announced, { nonce: other })).toBe(asked);
    }
    expect(await ask(announced, { nonce: 1 })).toBe("401 invalid-token");
    expect(await ask(announced, { nonce })).toBe("200");
  });

  test("may show it as long as the token lives that it came with (abuse 66)", async () => {
    const first = await announce(["nonce"]);
    harness.clock.advance(595_000);
    expect(await ask(first, { nonce: first.nonce })).toBe("200");
    harness.clock.advance(1);
    expect(await ask(first, { nonce: first.nonce })).toBe(asked);
    const next = await announce(["nonce"]);
    expect(await ask(next, { nonce: first.nonce })).toBe(asked);
    expect(await ask(next, { nonce: next.nonce })).toBe("200");
  });

  test.each([
    [-301, "401 invalid-token"],
    [301, "401 invalid-token"],
    [-299, "200"],
    [299, "200"],
  ])("may have a clock that is %i s off: %s (abuse 67)", async (offS, expected) => {
    const announced = await announce(["nonce"]);
    const iat = harness.clock.nowMs() / 1000 + offS;
    expect(await ask(announced, { nonce: announced.nonce, iat })).toBe(expected);
  });

  test("cannot be copied with a proof from before the server was restarted (abuse 60)", async () => {
    const announced = await announce(["nonce"]);
    const { nonce } = announced;
    const jti = "a-proof-that-is-shown-twice";
    expect(await ask(announced, { nonce, jti })).toBe("200");
    expect(await ask(announced, { nonce, jti })).toBe("401 invalid-token");
    harness.clock.advance(1);
    const restarted = restart();
    const again = { client: createClient(restarted, announced.client), nonce };
    const refused = await again.client.send("/v1/devices", withClaims({ nonce, jti }));
    expect(await outcome(refused.clone())).toBe(asked);
    const fresh = refused.headers.get("dpop-nonce") ?? "";
    expect(await ask(again, { nonce: fresh })).toBe("200");
  });

  test("is served on by a server whose clock was ahead and is set back (abuse 67)", async () => {
    harness.clock.advance(7_200_000);
    const restarted = restart();
    harness.clock.advance(-7_199_000);
    const announced = await announce(["nonce"], restarted);
    const { nonce } = announced;
    expect(await ask(announced, { nonce })).toBe("200");
    harness.clock.advance(1_000);
    expect(await ask(announced, { nonce })).toBe("200");
  });

  test("shows one replica what the other one gave", async () => {
    const other = restart();
    const announced = await announce(["nonce"]);
    const { nonce } = announced;
    const there = { client: createClient(other, announced.client), nonce };
    expect(await ask(there, { nonce })).toBe("200");
  });
});

/** Another process over the same store: after a restart, or beside the first one. */
function restart(): Harness {
  return createHarness({ store: harness.store, clock: harness.clock });
}

async function announceAt(server: Harness): Promise<{ nonce: string }> {
  const { device, admission } = owner;
  const body = await assertionForm(server, device, { id: admission.device.id });
  const answer = await askToken(server, device, { body });
  return { nonce: answer.headers.get("dpop-nonce") ?? "" };
}

test("[AU17] a device of before says nothing, and is asked for nothing", async () => {
  for (const proofs of [undefined, [], "nonce", { nonce: true }, ["bhs"]]) {
    const announced = await announce(proofs);
    expect(decodeJwt(announced.client.token)).not.toHaveProperty("proofs");
    expect(await ask(announced, {})).toBe("200");
  }
});

test("[AU17] who shows no proof gets no nonce", async () => {
  const response = await harness.app.fetch(new Request(`${harness.url}/v1/hello`));
  expect(response.headers.get("dpop-nonce")).toBeNull();
});

describe("[AU18] the body that is signed is the one that is taken (abuse 69)", () => {
  const body = JSON.stringify({ name: "made" });
  const hash = (bytes: string | Uint8Array): string => base64url.encode(sha256(bytes));

  async function make(proofs: unknown, sent: string | Uint8Array, claims: object, headers = {}) {
    const { client, nonce } = await announce(proofs);
    const response = await client.send("/v1/namespaces", {
      ...withClaims({ nonce, ...claims }),
      method: "POST",
      body: sent,
      headers: { "content-type": "application/json", ...headers },
    });
    return await outcome(response);
  }

  test("as it was sent, plain or packed", async () => {
    const packed = gzipSync(body);
    const gzip = { "content-encoding": "gzip" };
    expect(await make(["nonce", "bh"], body, { bh: hash(body) })).toBe("201");
    expect(await make(["nonce", "bh"], packed, { bh: hash(packed) }, gzip)).toBe("201");
    expect(await make(["nonce", "bh"], packed, { bh: hash(body) }, gzip)).toBe("401 body-changed");
  });

  test("and no other one, whoever signed it", async () => {
    const { namespaces: before } = await owner.hello();
    for (const proofs of [["nonce", "bh"], []]) {
      for (const signed of ["", "{}", `${body} `, '{"name":"other"}']) {
        expect(await make(proofs, body, { bh: hash(signed) })).toBe("401 body-changed");
      }
      expect(await make(proofs, "{}", { bh: hash("") })).toBe("401 body-changed");
      expect(await make(proofs, body, { bh: 1 })).toBe("401 invalid-token");
      expect(await make(proofs, body, { bh: "" })).toBe("401 body-changed");
    }
    expect((await owner.hello()).namespaces).toEqual(before);
  });

  test("and a device that says it signs them does", async () => {
    expect(await make(["bh"], body, {})).toBe("401 invalid-token");
    expect(await make([], body, {})).toBe("201");
    const { client, nonce } = await announce(["nonce", "bh"]);
    expect(await ask({ client, nonce }, { nonce })).toBe("200");
  });
});
