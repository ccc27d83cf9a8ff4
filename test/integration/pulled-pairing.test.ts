/** Pairing by a code, over the real server, with one in between that is not honest. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDeviceKey, type DeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { hmacSha256, sha256 } from "../../apps/client/src/platform/hash.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { slowKey } from "../../apps/client/src/platform/slow-hash.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { createApprovals, type Approvals } from "../../apps/client/src/sync/access/approvals.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import { createKeySigner } from "../../apps/client/src/sync/access/key-signer.ts";
import { openLink, readLink } from "../../apps/client/src/sync/access/pairing.ts";
import { askToJoin } from "../../apps/client/src/sync/access/pulled-pairing.ts";
import { createCaller } from "../../apps/client/src/sync/http/caller.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import { createHarness, type Harness } from "../../apps/server/src/http/testing/harness.ts";
import { parsePairCode, type PairCode } from "../../packages/protocol/src/wire/index.ts";
import { linkHashes } from "./world.ts";

const url = "https://tidemark.example";
const signal = new AbortController().signal;
const hashes = { hmacSha256, slowKey };

let server: Harness;
/** What is done to the text of an answer on its way, by path. */
let twist: (path: string, text: string) => string;
let sent: string[];

beforeEach(() => {
  server = createHarness();
  twist = (_, text) => text;
  sent = [];
});

afterEach(() => {
  server.app.close();
});

const network: Network = {
  send: async ({ method, url: to, headers, body, signal: until }) => {
    const { pathname } = new URL(to);
    sent.push(`${pathname} ${typeof body === "string" ? body : ""}`);
    const init = { method, headers, signal: until, ...(body === undefined ? {} : { body }) };
    const answer = await server.app.fetch(new Request(to, init));
    const text = twist(pathname, await answer.text());
    return new Response(text, { status: answer.status, headers: answer.headers });
  },
};

const caller = createCaller({ serverUrl: url, network, timers: systemTimers });

/** The owner's laptop, which decides. */
async function approver(): Promise<Approvals> {
  const key = newDeviceKey();
  const link = readLink(`${url}/#s=${await server.setupSecret()}`, { allowPlainLan: false });
  if (!link.ok) throw new Error(link.error.message);
  const callerFor = () => caller;
  const paired = await openLink(
    { callerFor, hashes: linkHashes },
    link.value,
    own(key, "laptop"),
    signal,
  );
  if (!paired.ok) throw new Error(paired.error.code);
  let counter = 0;
  const credentials = createCredentials({
    caller,
    device: paired.value.admission.device.id,
    key,
    clock: server.clock,
    random: systemRandom,
    sha256,
    nextCounter: () => (counter += 1),
  });
  const signed = createCaller({ serverUrl: url, network, timers: systemTimers, credentials });
  return createApprovals({ caller: signed, hashes, serverId: paired.value.admission.server.id });
}

function own(key: DeviceKey, deviceName: string) {
  const { publicJwk, thumbprint } = key;
  return { deviceName, platform: "test", userName: "ada", publicJwk, thumbprint };
}

/** A device that asks; its clock is a day off. */
async function ask(name: string, timers = systemTimers) {
  const key = newDeviceKey();
  let show: (code: string) => void = () => undefined;
  const shown = new Promise<string>((resolve) => {
    show = resolve;
  });
  const deps = {
    caller,
    signer: createKeySigner({ key, random: systemRandom, sha256 }),
    hashes,
    random: systemRandom,
    clock: { nowMs: () => server.clock.nowMs() - 86_400_000 },
    timers,
  };
  const joined = askToJoin(
    deps,
    own(key, name),
    ({ code }) => {
      show(code);
    },
    signal,
  );
  const code = parsePairCode(await shown) as PairCode & { half: string };
  return { key, joined, code };
}

test("[PR3] the half that vouches for key and name is never sent, and a device with a wrong clock gets in", async () => {
  const approvals = await approver();
  const { joined, code, key } = await ask("desk");
  const facts = await approvals.lookUp(code.code, signal);
  if (!facts.ok) throw new Error(facts.error.code);
  expect(facts.value).toMatchObject({ name: "desk", thumbprint: key.thumbprint });
  expect(await approvals.isGenuine(facts.value, code.half)).toBe(true);
  expect(await approvals.approve(facts.value, signal)).toEqual({ ok: true });
  expect(await joined).toMatchObject({
    ok: true,
    value: { approvedBy: "laptop", admission: { user: { name: "ada" }, device: { name: "desk" } } },
  });
  expect(sent.join("\n")).toContain(code.code);
  expect(sent.join("\n")).not.toContain(code.half);
});

test("[PR3] a server that shows another key or name is found out (abuse 18, 19)", async () => {
  const approvals = await approver();
  const { joined, code } = await ask("desk");
  const stranger = newDeviceKey();
  for (const changed of [{ thumbprint: stranger.thumbprint }, { name: "desk 2" }]) {
    twist = (path, text) =>
      path === "/v1/pair/lookup"
        ? JSON.stringify({ ...(JSON.parse(text) as object), ...changed })
        : text;
    const facts = await approvals.lookUp(code.code, signal);
    if (!facts.ok) throw new Error(facts.error.code);
    expect(await approvals.isGenuine(facts.value, code.half)).toBe(false);
  }
  twist = (_, text) => text;
  const facts = await approvals.lookUp(code.code, signal);
  if (!facts.ok) throw new Error(facts.error.code);
  expect(await approvals.isGenuine(facts.value, "000000")).toBe(false);
  await approvals.deny(facts.value, signal);
  expect(await joined).toMatchObject({ ok: false, error: { code: "denied" } });
});

test("[PR3] a server that calls itself what no server is called gets no request", async () => {
  await approver();
  const name = "desk|srv";
  twist = (path, text) =>
    path === "/v1/hello" ? text.replace(/"id":"srv_[^"]*"/, `"id":"x|y"`) : text;
  sent = [];
  const key = newDeviceKey();
  const deps = {
    caller,
    signer: createKeySigner({ key, random: systemRandom, sha256 }),
    hashes,
    random: systemRandom,
    clock: server.clock,
    timers: systemTimers,
  };
  const joined = await askToJoin(deps, own(key, name), () => undefined, signal);
  expect(joined).toMatchObject({ ok: false, error: { code: "not-tidemark" } });
  expect(sent).toHaveLength(1);
});

test("[PR12] a device whose code nobody took, or whose server takes links alone, is told so (abuse 12)", async () => {
  const approvals = await approver();
  const { joined, code } = await ask("desk");
  const facts = await approvals.lookUp(code.code, signal);
  if (!facts.ok) throw new Error(facts.error.code);
  server.clock.advance(301_000);
  server.tick(1_000);
  expect(await joined).toMatchObject({ ok: false, error: { code: "expired" } });
  expect(await approvals.approve(facts.value, signal)).toMatchObject({
    error: { code: "pair-not-pending" },
  });
  expect(await approvals.lookUp("BBBBBBBB", signal)).toMatchObject({
    error: { code: "invalid-or-expired", message: "no device waits with this code" },
  });
});

test("[PR4] a device that lost the answer that let it in hears it once more", async () => {
  const approvals = await approver();
  let isLost = true;
  twist = (path, text) => {
    if (path !== "/v1/pair/poll" || !isLost || !text.includes('"approved"')) return text;
    isLost = false;
    throw new Error("cut off");
  };
  const { joined, code } = await ask("desk", { ...systemTimers, sleep: async () => {} });
  const facts = await approvals.lookUp(code.code, signal);
  if (!facts.ok) throw new Error(facts.error.code);
  expect(await approvals.approve(facts.value, signal)).toEqual({ ok: true });
  expect(await joined).toMatchObject({ ok: true, value: { approvedBy: "laptop" } });
  expect(isLost).toBe(false);
});

test("[PR7] no server has a device ask all the time, seldom, or for ever", async () => {
  const shown: number[] = [];
  const waited: number[] = [];
  let nowMs = 1_000_000;
  const answers = [0, 2 ** 40, 0].map((intervalMs) => ({ status: "pending", intervalMs }));
  const json = async ({ path }: { readonly path: string }) => {
    if (path === "/v1/hello") {
      const protocol = { version: 1, oldest: 1 };
      const named = { id: "srv_test0000", time: nowMs, version: "1" };
      return { ok: true, value: { protocol, features: [], limits: {}, server: named } };
    }
    const told = { id: "pair_1", secret: "s", code: "BCDFGHJK", expiresInMs: 9e15, intervalMs: 0 };
    return { ok: true, value: path.endsWith("start") ? told : (answers.shift() ?? denied) };
  };
  const denied = { status: "denied" };
  const key = newDeviceKey();
  const deps = {
    caller: { serverUrl: url, json } as unknown as typeof caller,
    signer: createKeySigner({ key, random: systemRandom, sha256 }),
    hashes,
    random: systemRandom,
    clock: { nowMs: () => nowMs },
    timers: {
      ...systemTimers,
      sleep: async (ms: number) => {
        waited.push(ms);
        nowMs += ms;
      },
    },
  };
  const joined = await askToJoin(
    deps,
    own(key, "desk"),
    ({ expiresAtMs }) => {
      shown.push(expiresAtMs - 1_000_000);
    },
    signal,
  );
  expect(joined).toMatchObject({ ok: false, error: { code: "denied" } });
  expect(shown).toEqual([600_000]);
  expect(waited).toEqual([1_000, 60_000, 1_000]);
});
