import type { DeviceId, Result } from "../../packages/protocol/src/index.ts";
import { admissionSchema, namespaceInfoSchema } from "../../packages/protocol/src/wire/index.ts";
import { beforeEach, expect, test } from "vitest";
import { hmacSha256, sha256 } from "../../apps/client/src/platform/hash.ts";
import { newDeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { systemGzip } from "../../apps/client/src/platform/gzip.ts";
import { createAccounts } from "../../apps/client/src/sync/access/accounts.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import { createCaller, type Caller } from "../../apps/client/src/sync/http/caller.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import { createKeyVault } from "../../apps/server/src/auth/key-vault.ts";
import type { KeyOrder } from "../../apps/server/src/auth/signing-key-rules.ts";
import { turnSigningKeys } from "../../apps/server/src/auth/signing-keys.ts";
import { newDevice, post } from "../../apps/server/src/http/testing/client.ts";
import { createHarness, type Harness } from "../../apps/server/src/http/testing/harness.ts";

const signal = new AbortController().signal;

let replicas: Harness[];
let clock: Harness["clock"];
/** Every request since the start: where it went and what became of it. */
let sent: string[];
let proofs: string[];
/** Whether answers come as those of a server of before nonces. */
let isEarlier: boolean;
/** What a proxy on the way makes of a request's address. */
let rewrite: (url: string) => string;
let caller: Caller;

beforeEach(async () => {
  sent = [];
  proofs = [];
  isEarlier = false;
  rewrite = (url) => url;
  const first = createHarness();
  replicas = [first];
  ({ clock } = first);
  const key = newDeviceKey();
  const { publicJwk, thumbprint } = key;
  const secret = await first.setupSecret();
  const device = newDevice({ key: publicJwk, thumbprint } as never, "laptop");
  const made = await post(first, "/v1/setup", { secret, user: { name: "ada" }, device });
  caller = callerOf(admissionSchema.parse(await made.json()).device.id, key);
});

function callerOf(device: DeviceId, key: ReturnType<typeof newDeviceKey>): Caller {
  const serverUrl = replicas[0]?.url ?? "";
  let counter = 0;
  const credentials = createCredentials({
    caller: createCaller({ serverUrl, network, timers: systemTimers }),
    device,
    key,
    clock,
    random: systemRandom,
    sha256,
    nextCounter: (above) => (counter = Math.max(counter, above) + 1),
  });
  return createCaller({ serverUrl, network, timers: systemTimers, credentials, gzip: systemGzip });
}

/** Requests go to the replicas by turns. */
const network: Network = {
  send: async ({ method, url, headers, body }) => {
    const replica = replicas[sent.length % replicas.length];
    if (replica === undefined) throw new Error("there is no replica");
    proofs.push(headers["dpop"] ?? "");
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await replica.app.fetch(new Request(rewrite(url), init));
    sent.push(`${new URL(url).pathname} ${String(response.status)}`);
    if (isEarlier) response.headers.delete("dpop-nonce");
    return response;
  },
};

function unwrap<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function claimsOf(proof: string): Readonly<Record<string, unknown>> {
  const [, payload = ""] = proof.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
}

async function makeNamespace(name: string): Promise<boolean> {
  const body = { type: "application/json", content: JSON.stringify({ name }) };
  const call = { method: "POST", path: "/v1/namespaces", body } as const;
  return (await caller.json(call, namespaceInfoSchema, signal)).ok;
}

const token = "/v1/auth/token 200";
const made = "/v1/namespaces 201";
const refused = "/v1/namespaces 401";

/** Has the signing keys take turns, as the host orders it beside a running server. */
async function order(given: KeyOrder): Promise<void> {
  const { deps, store } = another();
  await turnSigningKeys({ ...deps, accounts: store.accounts }, given);
}

/** Another process over the same database. */
function another(given: Parameters<typeof createHarness>[0] = {}): Harness {
  const [first] = replicas;
  if (first === undefined) throw new Error("there is no first replica");
  return createHarness({ store: first.store, clock, ...given });
}

test("[AU61] in steady state no request goes twice, however long the device rests between two", async () => {
  const restsMs = [0, 1_000, 200_000, 300_000, 30_000, 539_000, 541_000, 3_600_000];
  for (const restMs of restsMs) {
    clock.advance(restMs);
    expect(await makeNamespace("steady")).toBe(true);
  }
  expect(sent.filter((line) => ![token, made].includes(line))).toEqual([]);
  expect(sent.filter((line) => line === made)).toHaveLength(restsMs.length);
});

test("[AU61] a proof carries the newest nonce and the hashes of body and query as they go out", async () => {
  await makeNamespace("first");
  await makeNamespace("x".repeat(60));
  const shown = proofs.map(claimsOf);
  expect(shown[0]).not.toHaveProperty("nonce");
  expect(shown[1]?.["nonce"]).toMatch(/^[\w-]{32}$/);
  const body = JSON.stringify({ name: "x".repeat(60) });
  expect(shown[2]?.["bh"]).toBe(Buffer.from(sha256(body)).toString("base64url"));
  // That there is no query is said as well.
  expect(shown[2]?.["qh"]).toBe(Buffer.from(sha256("")).toString("base64url"));
});

test("[AU61] [AU24] what a proxy makes of a query is refused, told as such, and changes nothing", async () => {
  const hashes = { sha256, hmacSha256 };
  const accounts = createAccounts({ caller, hashes, random: systemRandom });
  const [own] = unwrap(await accounts.devices(signal));
  const id = own?.id ?? ("" as DeviceId);
  const revoke = async (isForced: boolean): Promise<string> => {
    const done = await accounts.revokeDevice({ id, isForced }, signal);
    return done.ok ? "done" : done.error.code;
  };
  const added = (text: string) => (url: string) => url + (url.includes("?") ? "&" : "?") + text;
  const proxies = [
    added("force=true"),
    added("#&force=true"),
    added("x="),
    (url: string) => url.replace("#", "").replace(/$/, "#?force=true"),
  ];
  for (const proxy of proxies) {
    rewrite = proxy;
    expect(await revoke(false)).toBe("query-changed");
  }
  rewrite = (url) => url.replace(/\?.*/, "");
  expect(await revoke(true)).toBe("query-changed");
  rewrite = (url) => url.replace("force=true", "force=false");
  expect(await revoke(true)).toBe("query-changed");
  rewrite = (url) => url;
  expect(await revoke(false)).toBe("last-device");
  expect(await revoke(true)).toBe("done");
});

test("[AU61] a server that was restarted is asked once more, and then goes on", async () => {
  await makeNamespace("before");
  clock.advance(1);
  replicas = [another()];
  expect(await makeNamespace("after")).toBe(true);
  expect(await makeNamespace("later")).toBe(true);
  expect(sent).toEqual([token, made, refused, made, made]);
});

test("[AU61] replicas by turns take each other's nonces", async () => {
  replicas.push(another());
  for (const name of ["a", "b", "c", "d", "e"]) expect(await makeNamespace(name)).toBe(true);
  expect(sent).toEqual([token, made, made, made, made, made]);
});

test("[AU61] a refusal that does not end is told after one more try", async () => {
  isEarlier = true;
  expect(await makeNamespace("a")).toBe(false);
  expect(sent).toEqual([token, refused, refused]);
});

test("[AU5] two rotations in a day cost a device that syncs nothing (abuse 59)", async () => {
  replicas.push(another());
  for (const round of [1, 2]) {
    for (const restMs of [0, 1, 2_000, 300_000, 300_000]) {
      clock.advance(restMs);
      expect(await makeNamespace(`round ${String(round)}`)).toBe(true);
      expect(await makeNamespace("on the other replica")).toBe(true);
    }
    await order({ turn: "now" });
  }
  expect(sent.filter((line) => ![token, made].includes(line))).toEqual([]);
});

test("[AU20] tokens by a revoked key end with the next call, and devices go on by themselves (abuse 59)", async () => {
  await makeNamespace("before");
  const replica = another();
  replicas.push(replica);
  expect(await makeNamespace("on the other replica")).toBe(true);
  const rows = await replica.store.accounts.signingKeys();
  const revoke = rows.find(({ status }) => status === "signing")?.kid;
  await order({ turn: "now", revoke });
  sent.splice(0);
  for (const name of ["a", "b", "c"]) expect(await makeNamespace(name)).toBe(true);
  expect(sent.slice(0, 3)).toEqual([refused, "/v1/hello 200", token]);
  expect(sent.slice(3)).toEqual([made, made, made]);
});

test("[AU19] a lost master key costs a device one more token, at the end of its own", async () => {
  await makeNamespace("before");
  replicas = [another({ vault: createKeyVault({ sha256 }, new Uint8Array(32).fill(9)) })];
  clock.advance(1);
  expect(await makeNamespace("with the old token")).toBe(true);
  clock.advance(600_000);
  expect(await makeNamespace("with a new one")).toBe(true);
  expect(sent).toEqual([token, made, made, token, made]);
});
