import { expect, test } from "vitest";
import { sweepEveryMs } from "./app.ts";
import { createTestDevice } from "../auth/testing/device.ts";
import {
  ask,
  claimServer,
  createClient,
  joinServer,
  newDevice,
  outcome,
  signIn,
  type TestClient,
} from "./testing/client.ts";
import { lookEveryMs } from "./pairing/poll-gate.ts";
import { bodyText, createHarness, type Harness } from "./testing/harness.ts";
import {
  lookUpCode,
  pollAnswer,
  pollCode,
  postProven,
  showCode,
  startRequest,
  type ShownCode,
} from "./testing/pairing.ts";

const minuteMs = 60_000;

async function claimed(given: Parameters<typeof createHarness>[0] = {}) {
  const harness = createHarness(given);
  return { harness, owner: await claimServer(harness) };
}

async function post(client: TestClient, path: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json" };
  return await outcome(
    await client.send(path, { method: "POST", body: JSON.stringify(body), headers }),
  );
}

async function approve(client: TestClient, id: string): Promise<string> {
  return await post(client, "/v1/pair/approve", { id });
}

async function deviceCount(client: TestClient): Promise<number> {
  const { devices } = await client.call<{ devices: readonly object[] }>("GET", "/v1/devices");
  return devices.length;
}

/** A poll after the pause that the server asks for. */
async function pollLater(harness: Harness, shown: ShownCode): Promise<Response> {
  harness.clock.advance(30_000);
  return await pollCode(harness, shown);
}

test("[PR1] a new device shows a code, a paired one reads who it is and approves, and it is in", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "thinkpad x1");
  expect(shown).toMatchObject({ expiresInMs: 300_000, intervalMs: 2_000 });
  expect(shown.code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  harness.clock.advance(12_000);
  const spelt = ` ${shown.code.slice(0, 4).toLowerCase()} ${shown.code.slice(4)}`;
  const facts = await lookUpCode(owner, spelt);
  expect(facts).toEqual({
    id: shown.id,
    name: "thinkpad x1",
    platform: "linux x64",
    thumbprint: shown.device.thumbprint,
    mac: "m".repeat(43),
    salt: "s".repeat(22),
    network: null,
    isSameNetwork: null,
    ageMs: 12_000,
    expiresInMs: 288_000,
  });
  expect(await approve(owner, facts.id)).toBe("200");
  const answer = await pollAnswer(await pollCode(harness, shown));
  expect(answer).toEqual({
    status: "approved",
    admission: {
      server: { id: owner.admission.server.id },
      user: owner.admission.user,
      device: { id: expect.any(String), name: "thinkpad x1" },
    },
    approvedBy: owner.admission.device,
    isNameShared: false,
  });
  expect(await deviceCount(owner)).toBe(2);
});

test("[PR4] what was approved is redeemed once, what was decided stays so (abuse 14)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  expect(await approve(owner, shown.id)).toBe("200");
  expect(await approve(owner, shown.id)).toBe("409 pair-not-pending");
  expect(await post(owner, "/v1/pair/deny", { id: shown.id })).toBe("409 pair-not-pending");
  const told = await pollAnswer(await pollCode(harness, shown));
  expect(told).toMatchObject({ status: "approved" });
  // An answer may be lost on its way: whoever has secret and key is told the same again.
  expect(await pollAnswer(await pollCode(harness, shown))).toEqual(told);
  expect(await deviceCount(owner)).toBe(2);
});

test("[PR5] a device that a code has just let in makes no link either (abuse 20)", async () => {
  const { harness, owner } = await claimed();
  harness.clock.advance(1_000);
  const shown = await showCode(harness, "thief");
  expect(await approve(owner, shown.id)).toBe("200");
  const told = await pollAnswer(await pollCode(harness, shown));
  if (told.status !== "approved") throw new Error(told.status);
  const { admission } = told;
  const thief = await signIn(harness, shown.device, admission);
  const link = { authHash: "A".repeat(43) };
  const { namespaces = [] } = await thief.hello();
  const ci = { ...link, kind: "ci", namespace: namespaces[0]?.id };
  for (const body of [{ ...link, kind: "device" }, ci]) {
    expect(await post(thief, "/v1/links", body)).toBe("403 approver-too-new");
  }
  expect(await owner.call("GET", "/v1/links")).toEqual({ links: [] });
  harness.clock.advance(15 * minuteMs);
  const later = await signIn(harness, shown.device, admission);
  expect(await post(later, "/v1/links", { ...link, kind: "device" })).toBe("201");
});

test("[PR4] after its time a request is neither approved nor polled (abuse 12)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  harness.clock.advance(5 * minuteMs + 1_000);
  expect(await approve(owner, shown.id)).toBe("409 pair-not-pending");
  expect(await pollAnswer(await pollCode(harness, shown))).toEqual({ status: "expired" });
  harness.clock.advance(5 * minuteMs);
  harness.tick(sweepEveryMs);
  expect(await outcome(await pollCode(harness, shown))).toBe("404 invalid-or-expired");
  expect(await deviceCount(owner)).toBe(1);
});

test("[PR4] a denied device is told so, and no approval comes after it (abuse 27)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  expect(await post(owner, "/v1/pair/deny", { id: shown.id })).toBe("200");
  expect(await approve(owner, shown.id)).toBe("409 pair-not-pending");
  expect(await post(owner, "/v1/pair/lookup", { code: shown.code })).toBe("404 invalid-or-expired");
  expect(await pollAnswer(await pollCode(harness, shown))).toEqual({ status: "denied" });
  expect(await deviceCount(owner)).toBe(1);
});

test("[PR7] who has the secret and not the key is refused, and the request waits on (abuse 15, 16)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  const eve = await createTestDevice("eve");
  expect(await outcome(await pollCode(harness, shown, { prover: eve }))).toBe("401 invalid-token");
  const bare = await pollCode(harness, shown, { prover: undefined });
  expect(await outcome(bare)).toBe("401 invalid-token");
  const guessed = { ...shown, secret: "A".repeat(43) };
  expect(await outcome(await pollCode(harness, guessed))).toBe("404 invalid-or-expired");
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "pending" });
  expect(await approve(owner, shown.id)).toBe("200");
  expect(await outcome(await pollCode(harness, shown, { prover: eve }))).toBe("401 invalid-token");
  expect(await deviceCount(owner)).toBe(1);
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "approved" });
});

test("[PR1] a request is proven by the key that it names", async () => {
  const { harness } = await claimed();
  const device = await createTestDevice("desk");
  const body = startRequest(device, "desk");
  const start = async (prover: typeof device | undefined): Promise<string> =>
    await outcome(await postProven(harness, "/v1/pair/start", { body, prover }));
  expect(await start(undefined)).toBe("401 invalid-token");
  expect(await start(await createTestDevice("eve"))).toBe("401 invalid-token");
  expect(await start(device)).toMatch(/^201 /);
});

test("[PR7] a poll that comes too soon is slowed down, and each time more (abuse 17)", async () => {
  const { harness } = await claimed();
  const shown = await showCode(harness, "desk");
  const interval = async (response: Response): Promise<unknown> =>
    (JSON.parse(await bodyText(response)) as { retryAfterMs?: number }).retryAfterMs;
  expect(await pollAnswer(await pollCode(harness, shown))).toEqual({
    status: "pending",
    intervalMs: 2_000,
  });
  harness.clock.advance(1_999);
  const soon = await pollCode(harness, shown);
  expect([soon.status, await interval(soon)]).toEqual([429, 7_000]);
  harness.clock.advance(6_999);
  const again = await pollCode(harness, shown);
  expect([again.status, await interval(again)]).toEqual([429, 12_000]);
  harness.clock.advance(12_000);
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ intervalMs: 12_000 });
});

test("[PR7] of a hundred polls that want to be held one is (abuse 17)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  const polls = Array.from({ length: 100 }, () => pollCode(harness, shown, { wait: true }));
  const answers: string[] = [];
  const ended = polls.map(async (poll) => answers.push(await outcome(await poll)));
  await expect.poll(() => answers.length).toBe(99);
  expect(new Set(answers)).toEqual(new Set(["429 slow-down"]));
  expect(await approve(owner, shown.id)).toBe("200");
  await Promise.all(ended);
  expect(answers.at(-1)).toBe("200");
  expect(await deviceCount(owner)).toBe(2);
});

/** A server whose held polls a test can see and wake. */
async function watched() {
  const looks = new Set<() => void>();
  let isWatched = false;
  const timers = {
    every: (ms: number, tick: () => void) => {
      if (isWatched && ms === lookEveryMs) looks.add(tick);
      return () => looks.delete(tick);
    },
  };
  const { harness, owner } = await claimed({ timers });
  // What ticks from the start on is not a poll's.
  isWatched = true;
  const look = (): void => {
    for (const tick of looks) tick();
  };
  const shown = await showCode(harness, "desk");
  const hold = async (): Promise<readonly [Promise<Response>]> => {
    const held = pollCode(harness, shown, { wait: true });
    await expect.poll(() => looks.size).toBe(1);
    return [held];
  };
  return { harness, owner, shown, look, hold, looks };
}

test("[PR7] a held poll ends by itself after 25 seconds", async () => {
  const { harness, look, looks, hold } = await watched();
  const [held] = await hold();
  harness.clock.advance(24_999);
  look();
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks.size).toBe(1);
  harness.clock.advance(1);
  look();
  expect(await pollAnswer(await held)).toEqual({ status: "pending", intervalMs: 2_000 });
  expect(looks.size).toBe(0);
});

test("[PR7] a held poll hears at its next look of what another replica was told", async () => {
  const { harness, owner, shown, look, hold } = await watched();
  const [held] = await hold();
  await harness.store.accounts.decidePairing({
    asking: owner.admission.device.id,
    id: shown.id,
    decision: "approved",
    network: undefined,
    nowMs: harness.clock.nowMs(),
  });
  look();
  expect(await pollAnswer(await held)).toMatchObject({ status: "approved" });
});

test("[PR7] a server that stops lets go of the polls that it holds", async () => {
  const { harness, hold } = await watched();
  const [held] = await hold();
  harness.app.close();
  expect(await pollAnswer(await held)).toMatchObject({ status: "pending" });
});

test("[PR4] a device joins whoever approves it, whatever else a request says (abuse 21, 22)", async () => {
  const { harness, owner } = await claimed();
  const { id: acme } = await owner.createNamespace("acme");
  const bob = await joinServer(
    harness,
    await owner.createLink({ kind: "invite", namespace: acme, role: "reader" }),
    "bob",
  );
  const device = await createTestDevice("desk");
  const body = { ...startRequest(device, "desk"), cap_role: "owner", kind: "person", user: "usr" };
  const started = await postProven(harness, "/v1/pair/start", { body, prover: device });
  const shown = { ...(JSON.parse(await bodyText(started)) as ShownCode), device };
  const forBob = { id: shown.id, user: bob.admission.user.id };
  expect(await post(owner, "/v1/pair/approve", forBob)).toBe("400 invalid");
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "pending" });
  expect(await approve(owner, shown.id)).toBe("200");
  const answer = await pollAnswer(await pollLater(harness, shown));
  expect(answer).toMatchObject({ admission: { user: owner.admission.user } });
  expect(await deviceCount(bob)).toBe(1);
});

test("[PR5] a device that was paired a moment ago lets nobody in, and says no all the same (abuse 20)", async () => {
  const { harness, owner } = await claimed();
  harness.clock.advance(minuteMs);
  const desk = await joinServer(harness, await owner.createLink({ kind: "device" }), "desk");
  const shown = await showCode(harness, "phone");
  expect(await approve(desk, shown.id)).toBe("403 approver-too-new");
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "pending" });
  expect(await approve(owner, shown.id)).toBe("200");
  const other = await showCode(harness, "tv");
  expect(await post(desk, "/v1/pair/deny", { id: other.id })).toBe("200");
  expect(await deviceCount(owner)).toBe(2);
});

test("[PR5] a device that was revoked, or has no token, lets nobody in (abuse 20)", async () => {
  const { harness, owner } = await claimed();
  const desk = await joinServer(harness, await owner.createLink({ kind: "device" }), "desk");
  const shown = await showCode(harness, "phone");
  await owner.call("DELETE", `/v1/devices/${desk.admission.device.id}`);
  expect(await approve(desk, shown.id)).toBe("401 device-revoked");
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  for (const path of ["lookup", "approve", "deny"]) {
    expect(await outcome(await ask(harness, `/v1/pair/${path}`, init))).toBe("401 invalid-token");
  }
  expect(await pollAnswer(await pollCode(harness, shown))).toMatchObject({ status: "pending" });
});

test("[PR6] wrong codes lock a person, and a restart does not forgive them (abuse 9)", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  const guess = (code: string): Promise<string> => post(owner, "/v1/pair/lookup", { code });
  for (let count = 0; count < 5; count += 1) {
    expect(await guess("BBBBBBBB")).toBe("404 invalid-or-expired");
  }
  expect(await guess(shown.code)).toBe("429 approvals-locked");
  const restarted = createHarness({ store: harness.store, clock: harness.clock });
  const again = { ...harness, app: restarted.app };
  const client = createClient(again, owner);
  expect(await post(client, "/v1/pair/lookup", { code: shown.code })).toBe("429 approvals-locked");
  expect(await approve(client, shown.id)).toBe("429 approvals-locked");
  expect(harness.log.join("\n")).not.toContain(shown.code);
});

test("[PR2] what can be no code is refused before anything is looked up or counted (abuse 11)", async () => {
  const { owner } = await claimed();
  for (const code of ["AEIOUAEI", "12345678", "ВВВВВВВВ", "BBBBBBB", "BBBBBBBB7KQ2XN", "", 7]) {
    expect(await post(owner, "/v1/pair/lookup", { code })).toBe("400 invalid");
  }
  expect(await post(owner, "/v1/pair/lookup", { code: "bbbb-bbbb" })).toBe(
    "404 invalid-or-expired",
  );
});

test("[PR1] a code that is drawn again while it waits is drawn anew (abuse 25)", async () => {
  let draws = 0;
  const { harness, owner } = await claimed();
  const { random } = harness.deps;
  // The bytes of a code are asked for eight at a time.
  const stuck = {
    bytes: (count: number) => {
      if (count !== 8) return random.bytes(count);
      draws += 1;
      return new Uint8Array(8).fill(draws < 4 ? 1 : draws);
    },
  };
  const server = createHarness({ store: harness.store, clock: harness.clock, random: stuck });
  const first = await showCode(server, "a");
  const second = await showCode(server, "b");
  expect([first.code, second.code]).toEqual(["CCCCCCCC", "GGGGGGGG"]);
  expect(draws).toBe(4);
  expect(await lookUpCode(owner, second.code)).toMatchObject({ name: "b" });
});

test("[PR1] [AU2] a key that is known, badly spelt or none starts nothing (abuse 28)", async () => {
  const { harness, owner } = await claimed();
  const start = async (key: object, prover = owner.device): Promise<string> => {
    const body = {
      ...startRequest(owner.device, "desk"),
      device: { name: "d", platform: "p", key },
    };
    return await outcome(await postProven(harness, "/v1/pair/start", { body, prover }));
  };
  const { key } = owner.device;
  expect(await start(key)).toBe("409 conflict");
  const last = key.x.slice(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const twin = alphabet.charAt(alphabet.indexOf(last) ^ 1);
  expect(await start({ ...key, x: key.x.slice(0, -1) + twin })).toBe("400 invalid");
  for (const wrong of [
    { ...key, d: "x" },
    { ...key, crv: "P-256" },
    { ...key, kty: "oct" },
  ]) {
    expect(await start(wrong)).toBe("400 invalid");
  }
  const desk = await joinServer(harness, await owner.createLink({ kind: "device" }), "desk");
  await owner.call("DELETE", `/v1/devices/${desk.admission.device.id}`);
  expect(await start(desk.device.key, desk.device)).toBe("409 conflict");
});

test("[PR2] a name that would draw on a terminal is refused at the door (abuse 23)", async () => {
  const { harness } = await claimed();
  const device = await createTestDevice("desk");
  for (const name of [
    "desk\u001B[2J",
    "desk\u202Etxt",
    "desk\n     address   203.0.113.0/24 [SAME network as you]",
    "x".repeat(10_000),
    "",
  ]) {
    const body = { ...startRequest(device, "desk"), device: newDevice(device, name) };
    const sent = await postProven(harness, "/v1/pair/start", { body, prover: device });
    expect(await outcome(sent)).toBe("400 invalid");
  }
});

test("[PR10] a server may take links alone, and then shows and reads no code", async () => {
  const { harness, owner } = await claimed({ pairing: "links-only" });
  const device = await createTestDevice("desk");
  const body = startRequest(device, "desk");
  const started = await postProven(harness, "/v1/pair/start", { body, prover: device });
  expect(await outcome(started)).toBe("403 pairing-off");
  expect(await post(owner, "/v1/pair/lookup", { code: "BBBBBBBB" })).toBe("403 pairing-off");
  expect(await approve(owner, "pair_none")).toBe("403 pairing-off");
  const desk = await joinServer(harness, await owner.createLink({ kind: "device" }), "desk");
  expect(await deviceCount(desk)).toBe(2);
});

test("[PR1] the fourth request of one network is told to wait", async () => {
  const { harness } = await claimed();
  for (const name of ["a", "b", "c"]) await showCode(harness, name);
  await expect(showCode(harness, "d")).rejects.toThrow("429 rate-limited");
  harness.clock.advance(5 * minuteMs);
  expect(await showCode(harness, "d")).toMatchObject({ intervalMs: 2_000 });
});

test("[PR2] neither code nor secret is ever in the log", async () => {
  const { harness, owner } = await claimed();
  const shown = await showCode(harness, "desk");
  await lookUpCode(owner, shown.code);
  await approve(owner, shown.id);
  await pollCode(harness, shown);
  const log = harness.log.join("\n");
  expect(log).toContain("pairing-decided");
  for (const secret of [shown.code, shown.secret, shown.id]) expect(log).not.toContain(secret);
});

test("[AD2] who was let in, denied and locked out stands in the audit, and no code does", async () => {
  const { harness, owner } = await claimed();
  const desk = await showCode(harness, "desk");
  await approve(owner, desk.id);
  await pollCode(harness, desk);
  const tv = await showCode(harness, "tv");
  await post(owner, "/v1/pair/deny", { id: tv.id });
  for (let count = 0; count < 5; count += 1) {
    await post(owner, "/v1/pair/lookup", { code: "BBBBBBBB" });
  }
  const asking = owner.admission.device.id;
  const query = { asking, namespace: undefined, before: undefined, limit: 10 };
  const page = await harness.store.accounts.audit(query);
  const items = page.ok ? page.value.items : [];
  expect(items.slice(0, 3)).toMatchObject([
    { event: "approvals-locked" },
    { event: "pairing-denied", details: { name: "tv" } },
    { event: "device-joined", details: { name: "desk", by: "code", approvedBy: "laptop" } },
  ]);
  const text = JSON.stringify(items);
  for (const secret of [desk.code, desk.secret, tv.code, "BBBBBBBB"]) {
    expect(text).not.toContain(secret);
  }
});
