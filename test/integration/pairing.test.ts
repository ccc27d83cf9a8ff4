/** Links, accounts and the poke stream, over the real server. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newDeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { createPrivateFile } from "../../apps/client/src/platform/private-file.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { openStore } from "../../apps/client/src/store/open.ts";
import type { ScrubbedFields, Store } from "../../apps/client/src/store/store.ts";
import { createAccounts, type Accounts } from "../../apps/client/src/sync/access/accounts.ts";
import { createCredentials } from "../../apps/client/src/sync/access/auth.ts";
import {
  acceptInvite,
  openLink,
  readLink,
  type Paired,
} from "../../apps/client/src/sync/access/pairing.ts";
import { SyncEngine } from "../../apps/client/src/sync/engine.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import { createCaller, type Caller } from "../../apps/client/src/sync/http/caller.ts";
import type { Network } from "../../apps/client/src/sync/http/network.ts";
import { createHarness, type Harness } from "../../apps/server/src/http/testing/harness.ts";
import { unpairedNamespace, type RecordId } from "../../packages/protocol/src/index.ts";
import type { Link } from "../../packages/protocol/src/wire/index.ts";
import { linkHashes } from "./world.ts";

const url = "https://tidemark.example";
const signal = new AbortController().signal;

let server: Harness;
let network: Network;
let opened: Store[];
/** What somebody on the way answers in the server's place. */
let forged: (() => Response) | undefined;

beforeEach(() => {
  forged = undefined;
  server = createHarness();
  opened = [];
  network = {
    send: async (request) => {
      if (forged !== undefined) return forged();
      const { method, headers, body } = request;
      const init = { method, headers, signal: request.signal };
      return await server.app.fetch(
        new Request(request.url, body === undefined ? init : { ...init, body }),
      );
    },
  };
});

afterEach(() => {
  server.app.close();
  for (const store of opened) store.close();
});

interface Member {
  readonly paired: Paired;
  readonly caller: Caller;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly engine: SyncEngine;
}

function callerFor(serverUrl: string): Caller {
  return createCaller({ serverUrl, network, timers: systemTimers });
}

function linkOf(text: string): Link {
  const link = readLink(text, { allowPlainLan: false });
  if (!link.ok) throw new Error(link.error.message);
  return link.value;
}

/** Pairs a device by a link, as `tidemark pair` does; its clock may be off. */
async function pair(link: string, name: string, clockOffsetMs = 0): Promise<Member> {
  const key = newDeviceKey();
  const paired = await openLink(
    { callerFor, hashes: linkHashes },
    linkOf(link),
    {
      deviceName: name,
      platform: "test",
      userName: `user of ${name}`,
      publicJwk: key.publicJwk,
      thumbprint: key.thumbprint,
    },
    signal,
  );
  if (!paired.ok) throw new Error(paired.error.code);
  const { admission } = paired.value;
  const clock = { nowMs: () => server.clock.nowMs() + clockOffsetMs };
  let counter = 0;
  const credentials = createCredentials({
    caller: callerFor(url),
    device: admission.device.id,
    key,
    clock,
    random: systemRandom,
    sha256,
    nextCounter: (above) => (counter = Math.max(counter, above) + 1),
  });
  const caller = createCaller({ serverUrl: url, network, timers: systemTimers, credentials });
  const store = openStore({
    path: ":memory:",
    sha256,
    random: systemRandom,
    clock,
    createPrivateFile,
  });
  if (!store.ok) throw new Error(store.error.message);
  opened.push(store.value);
  const engine = new SyncEngine({
    store: store.value.replicas,
    transport: createHttpTransport({ caller, timers: systemTimers }),
    clock,
    random: systemRandom,
    timers: systemTimers,
    log: { info: () => undefined, warn: () => undefined },
    serverId: admission.server.id,
  });
  const accounts = createAccounts({ caller, hashes: linkHashes, random: systemRandom });
  return { paired: paired.value, caller, accounts, store: store.value, engine };
}

async function owner(): Promise<Member> {
  return await pair(`${url}/#s=${await server.setupSecret()}`, "laptop-a");
}

function save(member: Member, namespace: string, id: string): void {
  const fields = { title: id } as unknown as ScrubbedFields;
  const change = { kind: "put", id: id as RecordId, collection: "observation", fields } as const;
  const saved = member.store.changes.change(namespace as never, [change], server.clock.nowMs());
  if (!saved.ok) throw new Error(saved.error.kind);
}

function idsOf(member: Member): readonly string[] {
  return member.store.reads.records("observation").map(({ id }) => id);
}

test("[AU54] setup link, device link, first sync: what one laptop knew, the other knows", async () => {
  const a = await owner();
  const made = await a.accounts.addDevice({}, signal);
  const b = await pair(made.ok ? made.value.link : "", "laptop-b");
  expect(b.paired.admission.user).toEqual(a.paired.admission.user);
  save(a, unpairedNamespace, "r1");
  expect(await a.engine.syncOnce({ signal })).toMatchObject({ isDone: true });
  expect(await b.engine.syncOnce({ signal })).toMatchObject({ isDone: true });
  expect(idsOf(b)).toEqual(["r1"]);
});

test("[AU54] a link opens once, and an expired one not at all", async () => {
  const a = await owner();
  const made = await a.accounts.addDevice({ ttlSeconds: 60 }, signal);
  const link = made.ok ? made.value.link : "";
  await pair(link, "laptop-b");
  await expect(pair(link, "laptop-c")).rejects.toThrow("invalid-or-expired");
  const second = await a.accounts.addDevice({ ttlSeconds: 60 }, signal);
  server.clock.advance(61_000);
  await expect(pair(second.ok ? second.value.link : "", "d")).rejects.toThrow("invalid-or-expired");
  await expect(pair(`${url}/#s=${"s".repeat(26)}`, "e")).rejects.toThrow("already-claimed");
});

test.each([-3, -1, 3])(
  "[AU53] a laptop whose clock is %i days off syncs all the same (abuse 72)",
  async (days) => {
    const a = await owner();
    const made = await a.accounts.addDevice({}, signal);
    const b = await pair(made.ok ? made.value.link : "", "laptop-b", days * 86_400_000);
    expect(await b.engine.syncOnce({ signal })).toMatchObject({ isDone: true });
  },
);

test("a team: invite, accept, share, lower the role, remove, come back", async () => {
  const a = await owner();
  const team = await a.accounts.createNamespace("crew", signal);
  const namespace = team.ok ? team.value.id : ("" as never);
  await a.engine.syncOnce({ signal });
  save(a, namespace, "shared");
  await a.engine.syncOnce({ signal });
  const made = await a.accounts.invite({ namespace, role: "writer" }, signal);
  const b = await pair(made.ok ? made.value.link : "", "laptop-b");
  const user = b.paired.admission.user.id;
  await b.engine.syncOnce({ signal });
  expect(idsOf(b)).toEqual(["shared"]);
  const members = await a.accounts.members(namespace, signal);
  expect(members.ok && members.value.map(({ role }) => role).toSorted()).toEqual([
    "owner",
    "writer",
  ]);

  expect(await a.accounts.setRole({ namespace, user }, "reader", signal)).toMatchObject({
    ok: true,
  });
  save(b, namespace, "unseen");
  const outcome = await b.engine.syncOnce({ signal });
  expect(outcome.namespaces).toContainEqual(
    expect.objectContaining({ namespace, isDone: true, unsent: 0, rejected: 1 }),
  );

  expect(await a.accounts.removeMember({ namespace, user }, signal)).toMatchObject({ ok: true });
  await b.engine.syncOnce({ signal });
  expect(b.store.replicas.replica(namespace)?.status).toBe("parked");
  expect(idsOf(b)).toContain("shared");

  const again = await a.accounts.invite({ namespace, role: "writer" }, signal);
  const link = linkOf(again.ok ? again.value.link : "");
  const serverId = b.paired.admission.server.id;
  const accepted = await acceptInvite(
    { caller: b.caller, hashes: linkHashes, serverId },
    link,
    signal,
  );
  expect(accepted).toEqual({ ok: true, value: namespace });
  await b.engine.syncOnce({ signal });
  expect(b.store.replicas.replica(namespace)?.status).toBe("active");
  const last = { namespace, user: a.paired.admission.user.id };
  expect(await a.accounts.removeMember(last, signal)).toMatchObject({
    ok: false,
    error: { code: "last-owner", hint: expect.stringContaining("namespace role") },
  });
});

test("[PR14] a link that names networks is made on a server alone that knows them", async () => {
  const a = await owner();
  const team = await a.accounts.createNamespace("crew", signal);
  const namespace = team.ok ? team.value.id : ("" as never);
  const asked = { namespace, role: "reader", uses: 2, networks: ["10.0.0.0/8"] } as const;
  expect(await a.accounts.addMachines(asked, signal)).toMatchObject({ ok: true });
  const real = network;
  network = {
    send: async (request) => {
      const answer = await real.send(request);
      if (!request.url.endsWith("/v1/hello")) return answer;
      const nonce = answer.headers.get("dpop-nonce") ?? "";
      const hello = (await new Response(answer.body).json()) as object;
      const headers = { "dpop-nonce": nonce };
      return Response.json({ ...hello, features: ["heal"] }, { headers });
    },
  };
  const old = await pair(await linkFor(a), "laptop-b");
  expect(await old.accounts.addMachines(asked, signal)).toMatchObject({
    ok: false,
    error: { code: "upgrade-server", hint: expect.stringContaining("without --from") },
  });
  expect(await old.accounts.links(signal)).toMatchObject({ value: [{ networks: ["10.0.0.0/8"] }] });
});

async function linkFor(member: Member): Promise<string> {
  const made = await member.accounts.addDevice({}, signal);
  return made.ok ? made.value.link : "";
}

test("[AU62] a revoked device syncs no more, and keeps what it has", async () => {
  const a = await owner();
  const made = await a.accounts.addDevice({}, signal);
  const b = await pair(made.ok ? made.value.link : "", "laptop-b");
  await b.engine.syncOnce({ signal });
  await a.accounts.revokeDevice({ id: b.paired.admission.device.id }, signal);
  save(b, unpairedNamespace, "kept");
  const outcome = await b.engine.syncOnce({ signal });
  expect(outcome).toMatchObject({ isDone: false, failure: { family: "auth" } });
  expect(idsOf(b)).toEqual(["kept"]);
});

test.each([
  [401, "device-revoked"],
  [401, "invalid-token"],
  [403, "forbidden"],
  [404, "not-found"],
  [410, "device-revoked"],
])(
  "[AU62] whatever an answer says of this device, %i %s, nothing of its memory goes (abuse 78)",
  async (status, code) => {
    const a = await owner();
    const made = await a.accounts.addDevice({}, signal);
    const b = await pair(made.ok ? made.value.link : "", "laptop-b");
    save(a, unpairedNamespace, "synced");
    await a.engine.syncOnce({ signal });
    await b.engine.syncOnce({ signal });
    save(b, unpairedNamespace, "waits");
    const lie = { type: `urn:tidemark:error:${code}`, code, status, title: "gone" };
    const headers = { "content-type": "application/problem+json" };
    forged = () => Response.json({ ...lie, family: "auth", requestId: "r" }, { status, headers });
    for (let day = 0; day < 7; day += 1) {
      server.clock.advance(86_400_000);
      expect(await b.engine.syncOnce({ signal })).toMatchObject({ isDone: false });
    }
    expect(idsOf(b).toSorted()).toEqual(["synced", "waits"]);
    forged = undefined;
    // It was a lie: the device goes on where it was, and what waited arrives.
    expect(await b.engine.syncOnce({ signal })).toMatchObject({ isDone: true });
    await a.engine.syncOnce({ signal });
    expect(idsOf(a).toSorted()).toEqual(["synced", "waits"]);
  },
);

test("[AU62] a device that was shut out and comes back a week later uploads nothing and keeps all (abuse 78)", async () => {
  const a = await owner();
  const made = await a.accounts.addDevice({}, signal);
  const b = await pair(made.ok ? made.value.link : "", "laptop-b");
  save(a, unpairedNamespace, "synced");
  await a.engine.syncOnce({ signal });
  await b.engine.syncOnce({ signal });
  await a.accounts.revokeDevice({ id: b.paired.admission.device.id }, signal);
  save(b, unpairedNamespace, "written-offline");
  server.clock.advance(7 * 86_400_000);
  expect(await b.engine.syncOnce({ signal })).toMatchObject({ failure: { family: "auth" } });
  expect(idsOf(b).toSorted()).toEqual(["synced", "written-offline"]);
  await a.engine.syncOnce({ signal });
  expect(idsOf(a)).toEqual(["synced"]);
});

test("[EN13] a daemon hears of a push by a poke", async () => {
  const a = await owner();
  const made = await a.accounts.addDevice({}, signal);
  const b = await pair(made.ok ? made.value.link : "", "laptop-b");
  const stop = new AbortController();
  const running = b.engine.run(stop.signal);
  await vi.waitFor(() => {
    expect(b.engine.outcomes()).toMatchObject([{ isDone: true }]);
  });
  save(a, unpairedNamespace, "r1");
  await a.engine.syncOnce({ signal });
  await vi.waitFor(() => {
    expect(idsOf(b)).toEqual(["r1"]);
  });
  stop.abort();
  await running;
});
