import { afterEach, expect, test } from "vitest";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import { createKeysApi } from "../../apps/client/src/sync/sealed/keys-api.ts";
import { signEntries, type Said } from "../../apps/client/src/sync/sealed/log-entries.ts";
import { hex } from "../../packages/protocol/src/index.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Fate } from "./world.ts";

const signal = new AbortController().signal;
const user = "u_crowd";
let vault: Vault;

afterEach(() => {
  vault.world.close();
});

/** One whose requests have the time that they have elsewhere: these are large. */
async function open(fate?: Fate): Promise<void> {
  vault = await openVault(fate, { timers: systemTimers });
}

const aKey = (): string => Buffer.from(systemRandom.bytes(32)).toString("base64url");

/** The first device lets in so many devices of one person, of which the server knows none. */
async function letInCrowd(count: number): Promise<void> {
  const { world, id } = vault;
  const { log } = vault.state();
  const head = hex(sha256(log.at(-1)?.entry ?? ""));
  const said = Array.from({ length: count }, (_, at): Said => {
    const keys = { device: `d_crowd${String(at)}`, user, sig: aKey(), enc: aKey() };
    return { kind: "admit", keys, role: "member" };
  });
  const signer = { device: world.a.id, jwk: { ...world.a.key.privateJwk() } };
  const { entries } = await signEntries(sha256, signer, { head, said });
  const request = { after: log.length, entries, wraps: [] };
  const changed = await createKeysApi(world.a.caller).change(id, request, signal);
  if (!changed.ok) throw new Error(changed.error.code);
  expect(vault.state().log).toHaveLength(log.length + count);
}

const ofCrowd = (recipient: string): boolean => recipient.startsWith("d_crowd");

test("[EE15] 520 devices get the key of a new epoch: more than one request hands out", async () => {
  await open();
  await letInCrowd(520);
  const turned = await vault.world.a.keeper.rotate(vault.id, signal);
  expect(turned).toMatchObject({ ok: true, value: { epoch: 2 } });
  expect(vault.epochsFor(ofCrowd)).toEqual(Array.from({ length: 520 }, () => 2));
});

test("[EE25] 230 devices of one person get a right at once: more than one request says", async () => {
  await open();
  await letInCrowd(230);
  const { a } = vault.world;
  const done = await a.keeper.entitle(vault.id, { user, role: "admin" }, signal);
  expect(done.ok && done.value.changed).toHaveLength(230);
  const people = await a.keeper.people(vault.id, signal);
  expect(people.ok && people.value.get(user)).toBe("admin");
});

test("[EE15] 230 devices that have left are shut out by one sync, under one new epoch", async () => {
  await open();
  await letInCrowd(230);
  await vault.world.a.sync();
  expect(vault.state().log).toHaveLength(1 + 1 + 230 + 230 + 1);
  const people = await vault.world.a.keeper.people(vault.id, signal);
  expect(people.ok && [...people.value.keys()]).not.toContain(user);
  expect(vault.world.a.store.replicas.sealing(vault.id)).toMatchObject({ epoch: 2, hasKey: true });
});

test("[EE20] a server that has lost 230 entries gets them again", async () => {
  await open();
  const setBack = vault.backUp();
  await letInCrowd(230);
  const { a } = vault.world;
  await a.keeper.people(vault.id, signal);
  await setBack();
  const people = await a.keeper.people(vault.id, signal);
  expect(people.ok && people.value.get(user)).toBe("member");
});

test("[EE26] of several requests those behind one that is refused are not sent", async () => {
  const statuses: number[] = [];
  await open(async (request, deliver) => {
    const response = await deliver();
    const isChange = request.method === "POST" && request.url.endsWith("/keys");
    if (isChange && response.status !== 401) statuses.push(response.status);
    return response;
  });
  statuses.length = 0;
  // Of a hundred each; the ninth goes beyond what is let in.
  await expect(letInCrowd(1_150)).rejects.toThrow("too-large");
  expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), 413]);
  expect(vault.state().log).toHaveLength(802);
});

test("[EE26] where the log has no more room the person is told what to do, and devices are shut out still", async () => {
  await open();
  const { a, b } = vault.world;
  await letInCrowd(898);
  await b.sync();
  await b.keeper.look(vault.id, signal);
  const look = await a.keeper.look(vault.id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  const admitted = await a.keeper.admit(vault.id, look.value.waiting[0], signal);
  expect(admitted).toMatchObject({ ok: false, error: { code: "full-log" } });
  const meant = new Set(Array.from({ length: 50 }, (_, at) => `d_crowd${String(at)}`));
  const out = await a.keeper.shutOut(vault.id, ({ device }) => meant.has(device), signal);
  expect(out).toEqual({ ok: true, value: 50 });
  expect(vault.epochsFor(ofCrowd).filter((epoch) => epoch === 2)).toHaveLength(848);
});
