import type { NamespaceId } from "@tidemark/protocol";
import { describe, expect, test } from "vitest";
import { issueAccessToken } from "../auth/access-token.ts";
import { createSigningKeys } from "../auth/signing-keys.ts";
import { createTestDevice, forgedToken } from "../auth/testing/device.ts";
import { createHarness, bodyText } from "./testing/harness.ts";
import {
  ask,
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
  tokenProof,
  type Sending,
} from "./testing/client.ts";

const unauthorized = "401 invalid-token";

async function claimed() {
  const harness = createHarness();
  return { harness, owner: await claimServer(harness) };
}

describe("[AU6] a request is refused", () => {
  const changes: Record<string, Sending> = {
    "for another address": {
      proof: ({ header, claims }) => ({
        header,
        claims: { ...claims, htu: "https://evil.example/v1/devices" },
      }),
    },
    "for another path (abuse 62)": {
      proof: ({ header, claims }) => ({
        header,
        claims: { ...claims, htu: "https://tidemark.example/v1/hello" },
      }),
    },
    "for another method (abuse 61)": {
      proof: ({ header, claims }) => ({ header, claims: { ...claims, htm: "DELETE" } }),
    },
    "for another token (abuse 65)": {
      proof: ({ header, claims }) => ({ header, claims: { ...claims, ath: "A".repeat(43) } }),
    },
    "from long ago (abuse 67)": {
      proof: ({ header, claims }) => ({
        header,
        claims: { ...claims, iat: Number(claims["iat"]) - 301 },
      }),
    },
    "without a proof": { headers: { dpop: "" } },
    "with a proof that is none": { headers: { dpop: "a.b.c" } },
  };
  test.each(Object.entries(changes))("%s", async (_, sending) => {
    const { owner } = await claimed();
    const response = await owner.send("/v1/devices", sending);
    expect(response.headers.get("www-authenticate")).toBe('DPoP algs="Ed25519"');
    expect(await outcome(response)).toBe(unauthorized);
  });

  test("with a bearer token, no token, or two of them (abuse 68)", async () => {
    const { owner } = await claimed();
    for (const authorization of [
      `Bearer ${owner.token}`,
      owner.token,
      "DPoP",
      "",
      `DPoP ${owner.token}, DPoP ${owner.token}`,
      `DPoP ${owner.token} ${owner.token}`,
    ]) {
      const response = await owner.send("/v1/devices", { headers: { authorization } });
      expect(await outcome(response)).toBe(unauthorized);
    }
    const lower = await owner.send("/v1/devices", {
      headers: { authorization: `dpop ${owner.token}` },
    });
    expect(lower.status).toBe(200);
  });

  test("with two Authorization headers or two proofs (abuse 68)", async () => {
    const { harness, owner } = await claimed();
    let shown = new Headers();
    const other = createClient(
      {
        ...harness,
        app: {
          ...harness.app,
          fetch: async (request) => {
            shown = new Headers(request.headers);
            return await Promise.resolve(new Response());
          },
        },
      },
      owner,
    );
    for (const name of ["authorization", "dpop"]) {
      await other.send("/v1/devices");
      shown.append(name, shown.get(name) ?? "");
      expect(await outcome(await ask(harness, "/v1/devices", { headers: shown }))).toBe(
        unauthorized,
      );
    }
  });

  test("with somebody else's proof, or somebody else's token (abuse 64)", async () => {
    const { harness, owner } = await claimed();
    const second = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
    const stolen = createClient(harness, { ...owner, device: second.device });
    expect(await outcome(await stolen.send("/v1/devices"))).toBe(unauthorized);
    const stranger = createClient(harness, {
      ...owner,
      device: await createTestDevice("stranger"),
    });
    expect(await outcome(await stranger.send("/v1/devices"))).toBe(unauthorized);
    const mixed = createClient(harness, { ...owner, token: second.token });
    expect(await outcome(await mixed.send("/v1/devices"))).toBe(unauthorized);
  });

  test("with a token that was forged or has expired", async () => {
    const { harness, owner } = await claimed();
    const [, payload = ""] = owner.token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    for (const alg of ["none", "HS256", "EdDSA"]) {
      const token = forgedToken({ alg, typ: "at+jwt", kid: "a" }, claims);
      const forger = createClient(harness, { ...owner, token });
      expect(await outcome(await forger.send("/v1/devices"))).toBe(unauthorized);
    }
    harness.clock.advance(606_000);
    expect(await outcome(await owner.send("/v1/devices"))).toBe(unauthorized);
  });
});

test("[AU7] the same proof is taken once (abuse 60)", async () => {
  const { harness, owner } = await claimed();
  const jti = "a-jti-that-is-shown-twice";
  const proof: Sending["proof"] = ({ header, claims }) => ({ header, claims: { ...claims, jti } });
  expect((await owner.send("/v1/devices", { proof })).status).toBe(200);
  expect(await outcome(await owner.send("/v1/devices", { proof }))).toBe(unauthorized);
  harness.clock.advance(299_000);
  expect(await outcome(await owner.send("/v1/devices", { proof }))).toBe(unauthorized);
});

test("[AU9] a revoked device is out on its next request, streams included", async () => {
  const { harness, owner } = await claimed();
  const second = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
  const stream = await second.send("/v1/pokes");
  expect(stream.status).toBe(200);
  await owner.call("DELETE", `/v1/devices/${second.admission.device.id}`);
  expect(await bodyText(stream)).toContain("event: poke");
  expect(await outcome(await second.send("/v1/devices"))).toBe("401 device-revoked");
  expect(await outcome(await push(second, "ns_a" as NamespaceId, ""))).toBe("401 device-revoked");
  const body = await assertionForm(harness, second.device, { id: second.admission.device.id });
  expect(await outcome(await askToken(harness, second.device, { body }))).toBe(
    "401 device-revoked",
  );
  const key = joinRequest(
    await owner.createLink({ kind: "device", ttlSeconds: 60 }),
    second.device,
    "back",
  );
  expect(await outcome(await post(harness, "/v1/join", key))).toBe("409 conflict");
});

describe("[AU8] no token", () => {
  test("for another key's proof, a used proof, or a used assertion", async () => {
    const { harness, owner } = await claimed();
    const { device } = owner;
    const id = owner.admission.device.id;
    const stranger = await createTestDevice("stranger");
    const body = await assertionForm(harness, device, { id });
    expect(await outcome(await askToken(harness, device, { body, prover: stranger }))).toBe(
      unauthorized,
    );
    const proof = await tokenProof(harness, device);
    expect((await askToken(harness, device, { body, proof })).status).toBe(200);
    expect(await outcome(await askToken(harness, device, { body }))).toBe(unauthorized);
    const next = await assertionForm(harness, device, { id });
    expect(await outcome(await askToken(harness, device, { body: next, proof }))).toBe(
      unauthorized,
    );
  });

  test("for a form that is not exactly one", async () => {
    const { harness, owner } = await claimed();
    const body = await assertionForm(harness, owner.device, { id: owner.admission.device.id });
    const wrong = [
      "",
      "grant_type=client_credentials",
      `${body}&grant_type=password`,
      `${body}&client_assertion=a`,
    ];
    for (const form of wrong) {
      expect(await outcome(await askToken(harness, owner.device, { body: form }))).toBe(
        "400 invalid",
      );
    }
  });

  test("for a stranger", async () => {
    const { harness } = await claimed();
    const stranger = await createTestDevice("stranger");
    const body = await assertionForm(harness, stranger, { id: "dev_stranger" });
    expect(await outcome(await askToken(harness, stranger, { body }))).toBe(unauthorized);
  });
});

test("[AU4] a token whose device belongs to somebody else is refused", async () => {
  const { harness, owner } = await claimed();
  const keys = createSigningKeys({ ...harness.deps, accounts: harness.store.accounts });
  const token = await issueAccessToken(
    { ...harness.deps, keys },
    {
      user: "usr_other" as typeof owner.admission.user.id,
      device: owner.admission.device.id,
      thumbprint: owner.device.thumbprint,
    },
  );
  const odd = createClient(harness, { ...owner, token });
  expect(await outcome(await odd.send("/v1/devices"))).toBe(unauthorized);
});

describe("[AU11] links", () => {
  const refused = "404 invalid-or-expired";

  test("open once, for one of many, and die with their time", async () => {
    const { harness, owner } = await claimed();
    const link = await owner.createLink({ kind: "device" });
    const devices = await Promise.all(["a", "b", "c"].map(createTestDevice));
    const answers = await Promise.all(
      devices.map(
        async (device, at) => await post(harness, "/v1/join", joinRequest(link, device, `d${at}`)),
      ),
    );
    expect((await Promise.all(answers.map(outcome))).toSorted()).toEqual(["201", refused, refused]);
    const late = await owner.createLink({ kind: "device", ttlSeconds: 60 });
    harness.clock.advance(60_001);
    expect(
      await outcome(
        await post(harness, "/v1/join", joinRequest(late, await createTestDevice("late"), "late")),
      ),
    ).toBe(refused);
  });

  test("that are refused say what to do next, in the title alone", async () => {
    const { harness, owner } = await claimed();
    const { id: acme } = await owner.createNamespace("acme");
    const invite = await owner.createLink({ kind: "invite", namespace: acme });
    const device = await createTestDevice("bob");
    for (const [request, code, next] of [
      [{ ...joinRequest(invite, device, "bob"), user: undefined }, "invalid", "--user NAME"],
      [joinRequest(invite, owner.device, "bob"), "conflict", "`tidemark status`"],
      [
        joinRequest({ ...invite, id: "unknown0" }, device, "bob"),
        "invalid-or-expired",
        "device add",
      ],
    ] as const) {
      const response = await post(harness, "/v1/join", request);
      const problem = JSON.parse(await bodyText(response)) as object;
      expect(problem).toMatchObject({ code, title: expect.stringContaining(next) });
      expect(Object.keys(problem).toSorted()).toEqual(
        ["code", "family", "requestId", "status", "title", "type"].toSorted(),
      );
    }
  });

  test("unknown ones and wrong secrets look the same", async () => {
    const { harness, owner } = await claimed();
    const link = await owner.createLink({ kind: "device" });
    const device = await createTestDevice("new");
    const wrong = await post(
      harness,
      "/v1/join",
      joinRequest({ ...link, auth: "w".repeat(43) }, device, "n"),
    );
    const unknown = await post(
      harness,
      "/v1/join",
      joinRequest({ ...link, id: "unknown0" }, device, "n"),
    );
    expect(await withoutId(wrong)).toEqual(await withoutId(unknown));
    expect((await post(harness, "/v1/join", joinRequest(link, device, "n"))).status).toBe(201);
  });

  test("die with the device that made them", async () => {
    const { harness, owner } = await claimed();
    const second = await joinServer(harness, await owner.createLink({ kind: "device" }), "desktop");
    const link = await second.createLink({ kind: "device", ttlSeconds: 600 });
    await owner.call("DELETE", `/v1/devices/${second.admission.device.id}`);
    const device = await createTestDevice("late");
    expect(await outcome(await post(harness, "/v1/join", joinRequest(link, device, "late")))).toBe(
      refused,
    );
  });

  test("keys in other spellings and what is not in the contract are refused", async () => {
    const { harness, owner } = await claimed();
    const link = await owner.createLink({ kind: "device" });
    const device = await createTestDevice("new");
    const request = joinRequest(link, device, "new");
    const { key } = device;
    for (const wrong of [
      { ...key, d: key.x },
      { ...key, crv: "P-256" },
      { ...key, x: "A" },
    ]) {
      const response = await post(harness, "/v1/join", {
        ...request,
        device: { name: "n", platform: "p", key: wrong },
      });
      expect(await outcome(response)).toBe("400 invalid");
    }
    const named = { ...request, device: { name: "a\nb\u202e", platform: "p", key } };
    expect(await outcome(await post(harness, "/v1/join", named))).toBe("400 invalid");
  });

  test("an invite is an admin's to give, and never more than the admin has", async () => {
    const { harness, owner } = await claimed();
    const team = await owner.createNamespace("acme");
    const invite = await owner.createLink({ kind: "invite", namespace: team.id, role: "admin" });
    const bob = await joinServer(harness, invite, "bob");
    const ask = async (request: object) =>
      await outcome(
        await bob.send("/v1/links", {
          method: "POST",
          body: JSON.stringify({ authHash: "h".repeat(43), ...request }),
          headers: { "content-type": "application/json" },
        }),
      );
    const namespaces = (await bob.hello()).namespaces ?? [];
    expect(namespaces).toHaveLength(2);
    const personal = namespaces.find(({ kind }) => kind === "personal")?.id;
    const foreign = (await owner.hello()).namespaces?.find(({ kind }) => kind === "personal")?.id;
    expect(await ask({ kind: "invite", namespace: team.id, role: "writer" })).toBe("201");
    expect(await ask({ kind: "invite", namespace: team.id, role: "owner" })).toBe("403 forbidden");
    expect(await ask({ kind: "invite", namespace: personal })).toBe("403 forbidden");
    expect(await ask({ kind: "invite", namespace: foreign })).toBe("404 not-found");
    expect(await ask({ kind: "invite", namespace: "ns_unknown" })).toBe("404 not-found");
    expect(await ask({ kind: "invite" })).toBe("400 invalid");
    expect(await ask({ kind: "device", namespace: team.id })).toBe("400 invalid");
  });

  test("a person who has an account accepts an invite with the device at hand", async () => {
    const { harness, owner } = await claimed();
    const team = await owner.createNamespace("acme");
    const other = await owner.createNamespace("other");
    const bob = await joinServer(
      harness,
      await owner.createLink({ kind: "invite", namespace: team.id }),
      "bob",
    );
    const invite = await owner.createLink({ kind: "invite", namespace: other.id, role: "reader" });
    expect(await bob.call("POST", "/v1/invites/accept", invite)).toEqual({ namespace: other.id });
    const listed = (await bob.hello()).namespaces ?? [];
    expect(listed.find(({ id }) => id === other.id)?.role).toBe("reader");
    await expect(bob.call("POST", "/v1/invites/accept", invite)).rejects.toThrow(refused);
  });
});

async function withoutId(response: Response): Promise<object> {
  const { requestId, ...rest } = JSON.parse(await bodyText(response)) as { requestId: string };
  expect(requestId).toMatch(/^[0-9a-v]{16}$/);
  return { status: response.status, ...rest };
}

describe("[WR19] a namespace of others looks exactly like one that does not exist", () => {
  const record = "some_record";
  const routes: readonly (readonly [string, string, Sending])[] = [
    ["records", "GET", {}],
    ["digests", "GET", {}],
    ["digests?bucket=1", "GET", {}],
    ["members", "GET", {}],
    [`records/${record}/revisions`, "GET", {}],
    ["members/usr_a", "DELETE", {}],
    [
      "members/usr_a",
      "PATCH",
      { body: '{"role":"reader"}', headers: { "content-type": "application/json" } },
    ],
    [
      "ops",
      "POST",
      {
        body: createTestWriter("writer_x").body(["one"]),
        headers: { "content-type": "application/x-ndjson" },
      },
    ],
    [
      "heal",
      "POST",
      { body: '{"lamport":0,"want":[]}\n', headers: { "content-type": "application/x-ndjson" } },
    ],
  ];
  test.each(routes)("%s %s", async (path, method, sending) => {
    const { harness, owner } = await claimed();
    const team = await owner.createNamespace("acme");
    const stranger = await owner.createNamespace("door");
    const bob = await joinServer(
      harness,
      await owner.createLink({ kind: "invite", namespace: stranger.id }),
      "bob",
    );
    const foreign = await bob.send(`/v1/namespaces/${team.id}/${path}`, { ...sending, method });
    const absent = await bob.send(`/v1/namespaces/ns_absent/${path}`, { ...sending, method });
    const odd = await bob.send(`/v1/namespaces/ns%2fabsent/${path}`, {
      ...sending,
      method,
      proof: (parts) => parts,
    });
    const body = await withoutId(foreign);
    expect(body).toMatchObject({ status: 404, code: "not-found" });
    expect(await withoutId(absent)).toEqual(body);
    expect(await outcome(odd)).toBe("404 not-found");
  });

  test("so do other people's devices", async () => {
    const { harness, owner } = await claimed();
    const team = await owner.createNamespace("acme");
    const bob = await joinServer(
      harness,
      await owner.createLink({ kind: "invite", namespace: team.id }),
      "bob",
    );
    const name = { body: '{"name":"mine"}', headers: { "content-type": "application/json" } };
    for (const id of [owner.admission.device.id, "dev_absent"]) {
      expect(await outcome(await bob.send(`/v1/devices/${id}`, { method: "DELETE" }))).toBe(
        "404 not-found",
      );
      expect(await outcome(await bob.send(`/v1/devices/${id}`, { method: "PATCH", ...name }))).toBe(
        "404 not-found",
      );
    }
    expect((await owner.send("/v1/devices")).status).toBe(200);
  });
});

test("[AU12] guessing at setup, joining and tokens is slowed down (abuse 2)", async () => {
  const { harness } = await claimed();
  const outcomes: string[] = [];
  for (let attempt = 0; attempt < 31; attempt += 1)
    outcomes.push(await outcome(await post(harness, "/v1/join", {})));
  expect(outcomes.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => "400 invalid"));
  expect(outcomes[30]).toBe("429 rate-limited");
  const limited = await post(harness, "/v1/join", {});
  expect(limited.headers.get("retry-after")).toBe("2");
  harness.clock.advance(2_000);
  expect(await outcome(await post(harness, "/v1/join", {}))).toBe("400 invalid");
});
