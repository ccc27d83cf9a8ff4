import { ok } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../http/caller.ts";
import { notTidemark } from "../http/failures.ts";
import type { Answer } from "../transport.ts";
import { linkAuth, linkAuthHash, linkBinding, linkMac } from "./link-secrets.ts";
import { acceptInvite, openLink, readLink, type Newcomer } from "./pairing.ts";
import { createHash, createHmac, hkdfSync } from "node:crypto";

const signal = new AbortController().signal;
const secret = "0123456789abcdefghijklmnop";
const hashes = {
  sha256: (text: string) => createHash("sha256").update(text).digest(),
  hmacSha256: (key: Uint8Array, text: string | Uint8Array) =>
    createHmac("sha256", key).update(text).digest(),
};
const newcomer: Newcomer = {
  deviceName: "laptop",
  platform: "linux x64",
  userName: "Ada",
  publicJwk: { kty: "OKP", crv: "Ed25519", x: "x".repeat(43) },
  thumbprint: "thumb",
};

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** A server that says hello as given and admits everybody. */
function serverThat(given: {
  readonly version?: number;
  readonly oldest?: number;
  readonly admittedBy?: string;
  readonly greeting?: Answer<never>;
}): { readonly caller: Caller; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const { version = 1, oldest = 1, admittedBy = "srv" } = given;
  const unused = (): never => {
    throw new Error("not called here");
  };
  const hello = {
    protocol: { version, oldest },
    features: [],
    server: { id: "srv", time: 1, version: "0" },
    limits: {},
  };
  const admission = {
    server: { id: admittedBy },
    user: { id: "usr_1", name: "Ada" },
    device: { id: "dev_1", name: "laptop" },
  };
  const caller: Caller = {
    serverUrl: "https://h.example",
    pack: unused,
    text: unused,
    lines: unused,
    open: unused,
    json: (call, schema) => {
      const body: unknown =
        call.body === undefined ? undefined : JSON.parse(call.body.content as string);
      sent.push({ path: call.path, body });
      if (call.path !== "/v1/hello") return Promise.resolve(ok(schema.parse(admission)));
      return Promise.resolve(given.greeting ?? ok(schema.parse(hello)));
    },
  };
  return { caller, sent };
}

async function open(server: { readonly caller: Caller }, letter = "j") {
  const fragment = letter === "s" ? `s=${secret}` : `${letter}=abcdefgh.${secret}`;
  const link = readLink(`https://h.example/#${fragment}`, { allowPlainLan: false });
  if (!link.ok) throw new Error(link.error.code);
  return await openLink({ callerFor: () => server.caller, hashes }, link.value, newcomer, signal);
}

test("[AU54] what opens a link is derived from its secret as RFC 5869 says; the secret stays", async () => {
  const expected = Buffer.from(hkdfSync("sha256", secret, "", "tidemark-join-auth", 32));
  expect(linkAuth(hashes, secret)).toBe(expected.toString("base64url"));
  const server = serverThat({});
  await open(server);
  expect(JSON.stringify(server.sent)).not.toContain(secret);
  const join = server.sent.find(({ path }) => path === "/v1/join");
  expect(join?.body).toMatchObject({ id: "abcdefgh", auth: linkAuth(hashes, secret) });
});

test("[AU54] the server is told a hash of what opens the link, and no more", () => {
  const hash = createHash("sha256").update(linkAuth(hashes, secret)).digest("base64url");
  expect(linkAuthHash(hashes, secret)).toBe(hash);
});

test("[AU54] the mac binds the new key, the name and the server (abuse 31)", () => {
  const device = { thumbprint: "t", name: "n", serverId: "s" };
  const binding = linkBinding(hashes, secret);
  const mac = linkMac(hashes, binding, device);
  for (const changed of [{ thumbprint: "x" }, { name: "x" }, { serverId: "x" }]) {
    expect(linkMac(hashes, binding, { ...device, ...changed })).not.toBe(mac);
  }
});

test("[AU58] a server that admits in another's name is refused", async () => {
  expect(await open(serverThat({ admittedBy: "srv_other" }))).toMatchObject({
    ok: false,
    error: { code: "wrong-server" },
  });
});

test("[WR32] pairing says which side is too old, before anything is sent", async () => {
  const newer = serverThat({ version: 9, oldest: 8 });
  expect(await open(newer, "s")).toMatchObject({ error: { code: "upgrade-client" } });
  const older = serverThat({ version: 0, oldest: 0 });
  expect(await open(older, "s")).toMatchObject({ error: { code: "upgrade-server" } });
  expect([...newer.sent, ...older.sent].map(({ path }) => path)).toEqual([
    "/v1/hello",
    "/v1/hello",
  ]);
});

test("[AU57] a captive portal is named as what it is", async () => {
  const answer = await open(serverThat({ greeting: { ok: false, error: notTidemark } }));
  expect(answer).toMatchObject({
    error: { code: "not-tidemark", hint: expect.stringContaining("guest network") },
  });
});

test("[AU57] where the server says how long to wait, the hint says it too", async () => {
  const limited = { family: "retry", code: "rate-limited", title: "Too many requests." } as const;
  for (const [waiting, hint] of [
    [{ retryAfterMs: 19_500 }, "try again in 20 s"],
    [{}, "try again in a moment"],
  ] as const) {
    const answer = await open(
      serverThat({ greeting: { ok: false, error: { ...limited, ...waiting } } }),
    );
    expect(answer).toMatchObject({ error: { code: "rate-limited", hint } });
  }
});

test("[AU58] a paired device takes invites of its own server alone, and no other links", async () => {
  const { caller } = serverThat({});
  const invite = { kind: "invite", url: "https://h.example", id: "abcdefgh", secret } as const;
  const at = { caller, hashes, serverId: "srv_mine" };
  expect(await acceptInvite(at, invite, signal)).toMatchObject({ error: { code: "wrong-server" } });
  expect(await acceptInvite(at, { ...invite, kind: "device" }, signal)).toMatchObject({
    error: { code: "already-paired" },
  });
});
