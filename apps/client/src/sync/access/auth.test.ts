import { generateKeyPairSync, createHash } from "node:crypto";
import { fail, ok, type DeviceId } from "@tidemark/protocol";
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from "jose";
import { beforeEach, expect, test } from "vitest";
import type { Call, Caller } from "../http/caller.ts";
import { unreachable } from "../http/failures.ts";
import { createVirtualTime, type VirtualTime } from "../testing/virtual-time.ts";
import type { Answer } from "../transport.ts";
import { createCredentials, type Credentials } from "./auth.ts";

const signal = new AbortController().signal;
const url = "https://tidemark.example";
const target = { method: "GET", url: `${url}/v1/hello` };

let time: VirtualTime;
let calls: Omit<Call, "accept">[];
let serverTimeMs: number;
let answerToken: () => Answer<object>;
let issued: number;
let counter: number;
let diskTrouble: Error | undefined;
let credentials: Credentials;
let publicJwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

beforeEach(() => {
  time = createVirtualTime();
  serverTimeMs = time.nowMs();
  calls = [];
  issued = 0;
  counter = 0;
  diskTrouble = undefined;
  answerToken = () => {
    issued += 1;
    return ok({ access_token: `t${String(issued)}`, token_type: "DPoP", expires_in: 600 });
  };
  const jwk = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const { x = "", d = "" } = jwk;
  publicJwk = { kty: "OKP", crv: "Ed25519", x };
  credentials = createCredentials({
    caller: fakeCaller(),
    device: "dev_1" as DeviceId,
    key: { publicJwk, thumbprint: "thumb", privateJwk: () => ({ ...publicJwk, d }) },
    clock: time,
    random: { bytes: (count) => new Uint8Array(count).fill(issued) },
    sha256: (text) => createHash("sha256").update(text).digest(),
    nextCounter: (above) => {
      if (diskTrouble !== undefined) throw diskTrouble;
      return (counter = Math.max(counter, above) + 1);
    },
  });
});

/** Answers token and hello calls as the test says; everything else is a mistake of the test. */
function fakeCaller(): Caller {
  const hello = (): object => ({
    protocol: { version: 1, oldest: 1 },
    features: [],
    server: { id: "s", time: serverTimeMs, version: "0" },
    limits: {},
  });
  const unused = (): never => {
    throw new Error("not called here");
  };
  return {
    serverUrl: url,
    pack: unused,
    text: unused,
    lines: unused,
    open: unused,
    json: (call, schema) => {
      calls.push(call);
      const answer = call.path === "/v1/hello" ? ok(hello()) : answerToken();
      return Promise.resolve(answer.ok ? ok(schema.parse(answer.value)) : answer);
    },
  };
}

async function tokenInUse(): Promise<string | undefined> {
  const headers = await credentials.headers(target, signal);
  return headers.ok ? headers.value.authorization : undefined;
}

test("[AU50] a token is fetched once, kept in memory, and renewed a minute before it expires", async () => {
  expect(await tokenInUse()).toBe("DPoP t1");
  await time.advance(539_000);
  expect(await tokenInUse()).toBe("DPoP t1");
  await time.advance(2_000);
  expect(await tokenInUse()).toBe("DPoP t2");
});

test("[AU50] requests that need a token at once share one", async () => {
  const both = await Promise.all([tokenInUse(), tokenInUse()]);
  expect(both).toEqual(["DPoP t1", "DPoP t1"]);
  expect(issued).toBe(1);
});

test("[EN29] a token that a full disk kept from being asked for is asked for again once it has room", async () => {
  diskTrouble = new Error("no space left");
  const refused = { status: "rejected", reason: diskTrouble };
  expect(await Promise.allSettled([tokenInUse(), tokenInUse()])).toEqual([refused, refused]);
  diskTrouble = undefined;
  expect(await tokenInUse()).toBe("DPoP t1");
});

test("[AU50] the assertion is by the device, for the address in use, short-lived, and counts up", async () => {
  await tokenInUse();
  const form = new URLSearchParams(calls[0]?.body?.content as string);
  const assertion = form.get("client_assertion") ?? "";
  const { payload, protectedHeader } = await jwtVerify(
    assertion,
    await importJWK(publicJwk, "Ed25519"),
    {
      currentDate: new Date(time.nowMs()),
    },
  );
  expect(protectedHeader).toEqual({
    alg: "Ed25519",
    typ: "client-authentication+jwt",
    kid: "thumb",
  });
  expect(payload).toMatchObject({ iss: "dev_1", sub: "dev_1", aud: url, ctr: 1 });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
});

test("[AU50] a proof names method, address and token, and carries the public key alone", async () => {
  const headers = await credentials.headers(target, signal);
  const dpop = headers.ok ? headers.value.dpop : "";
  expect(decodeProtectedHeader(dpop)).toEqual({ alg: "Ed25519", typ: "dpop+jwt", jwk: publicJwk });
  const ath = createHash("sha256").update("t1").digest("base64url");
  expect(decodeJwt(dpop)).toMatchObject({ htm: "GET", htu: target.url, ath });
});

test("[AU52] a refused token is replaced; one that was replaced already is not replaced again", async () => {
  const refused = (await tokenInUse()) ?? "";
  await credentials.renew(refused, signal);
  await credentials.renew(refused, signal);
  expect(issued).toBe(2);
});

test("[AU53] where the clock is off, the server's is taken and the token asked for once more", async () => {
  serverTimeMs = time.nowMs() + 86_400_000;
  let isFirst = true;
  const good = answerToken;
  answerToken = () => {
    if (!isFirst) return good();
    isFirst = false;
    return fail({ family: "auth", code: "invalid-token", title: "" });
  };
  const headers = await credentials.headers(target, signal);
  const dpop = headers.ok ? headers.value.dpop : "";
  expect(decodeJwt(dpop).iat).toBe(Math.floor(serverTimeMs / 1000));
});

test("[AU53] a right clock is left alone, and the refusal is told", async () => {
  answerToken = () => fail({ family: "auth", code: "invalid-token", title: "" });
  expect(await credentials.headers(target, signal)).toMatchObject({
    ok: false,
    error: { code: "invalid-token" },
  });
  expect(calls.map(({ path }) => path)).toEqual(["/v1/auth/token", "/v1/hello"]);
});

test("a server that cannot be reached is no reason to sign in anew", async () => {
  answerToken = () => fail(unreachable);
  expect(await credentials.headers(target, signal)).toEqual({ ok: false, error: unreachable });
});

const copied = (above: number) =>
  fail({ family: "auth", code: "key-copied", title: "", counter: above } as const);

function counters(): readonly unknown[] {
  return calls.map(({ body }) => {
    const assertion = new URLSearchParams(body?.content as string).get("client_assertion");
    return assertion === null ? undefined : decodeJwt(assertion)["ctr"];
  });
}

test("[AU60] a home that was put back leaps above what the server has seen, and goes on", async () => {
  const good = answerToken;
  answerToken = () => (calls.length === 1 ? copied(700) : good());
  expect(await tokenInUse()).toBe("DPoP t1");
  expect(counters()).toEqual([1, 701]);
  await time.advance(541_000);
  expect(await tokenInUse()).toBe("DPoP t2");
  expect(counters()).toEqual([1, 701, 702]);
});

test("[AU60] a leap that was too short is told, not tried again at once", async () => {
  answerToken = () => copied(calls.length * 100);
  const headers = await credentials.headers(target, signal);
  expect(headers).toMatchObject({ ok: false, error: { family: "auth", code: "key-copied" } });
  expect(counters()).toEqual([1, 101]);
});
