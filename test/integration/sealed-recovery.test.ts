import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userId, type NamespaceId, type UserId } from "../../packages/protocol/src/index.ts";
import type { KeysAnswer, KeysRequest } from "../../packages/protocol/src/wire/index.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import type { Keeper } from "../../apps/client/src/sync/sealed/keeper.ts";
import { isRecovery } from "../../apps/client/src/sync/sealed/recovery-holder.ts";
import { openKeyring, type Keyring } from "../../apps/client/src/wiring/keyring.ts";
import { refusalOf } from "./refusal.ts";
import { codeOf, openVault, type Vault } from "./vault.ts";
import type { Device, Fate, World } from "./world.ts";

const signal = new AbortController().signal;
let vault: Vault;
let world: World;
let id: NamespaceId;
/** The path of requests whose answers never come. */
let lostAnswers: string | undefined;

/** Whether nothing is reached any more once an answer was lost. */
let isOutage = false;
let isGone = false;
/** Whether the server's log has no more room for entries. */
let isFull = false;
/** Whether the server is one that tells how many keys there are for whom, and not which. */
let tellsCounts = false;

const losing: Fate = async (request, deliver) => {
  if (isGone) throw new TypeError("nobody answers");
  const path = new URL(request.url).pathname;
  if (isFull && (await isEntry(request, path))) return refusalOf("too-large");
  const answer = await deliver();
  if (request.method === "POST" && path.endsWith(lostAnswers ?? "//")) {
    isGone = isOutage;
    throw new TypeError("the answer is lost");
  }
  if (!tellsCounts || !path.endsWith("/keys") || answer.status !== 200) return answer;
  const { recipients, ...told } = (await answer.json()) as KeysAnswer;
  expect(recipients).not.toEqual([]);
  return new Response(JSON.stringify(told), { status: 200, headers: answer.headers });
};

async function isEntry(request: Request, path: string): Promise<boolean> {
  if (request.method !== "POST" || !path.endsWith("/keys")) return false;
  return ((await request.json()) as KeysRequest).entries.length > 0;
}

/** Loses the answer to what goes to a path, and the server with it. */
async function inOutage<T>(path: string, act: () => Promise<T>): Promise<T> {
  [lostAnswers, isOutage] = [path, true];
  const done = await act();
  [lostAnswers, isOutage, isGone] = [undefined, false, false];
  return done;
}

beforeEach(async () => {
  [lostAnswers, isOutage, isGone, tellsCounts] = [undefined, false, false, false];
  isFull = false;
  vault = await openVault(losing);
  ({ world, id } = vault);
});

afterEach(() => {
  world.close();
});

const keysOf = (device: Device): readonly number[] =>
  [...(device.store.replicas.heldKeys(id)?.epochs.keys() ?? [])].toSorted((one, two) => one - two);

/** Has the server lose wraps; what is given brings them back. */
function loseWraps(isLost: (wrap: { recipient: string; epoch: number }) => boolean): () => void {
  const state = vault.state();
  const lost = state.wraps.filter((wrap) => isLost(wrap));
  expect(lost).not.toEqual([]);
  state.wraps = state.wraps.filter((wrap) => !isLost(wrap));
  return () => {
    vault.state().wraps = [...vault.state().wraps, ...lost];
  };
}

/** The first device begins a second epoch and writes under it. */
async function writeUnderSecond(): Promise<void> {
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ ok: true });
  vault.save(world.a, "ra", "under the second key");
  await world.a.sync();
}

test("[EE23] a key that was made again is handed to the recovery code too", async () => {
  await vault.settle();
  await world.b.keeper.look(id, signal);
  const setBack = vault.backUp();
  lostAnswers = "/keys";
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ ok: false });
  lostAnswers = undefined;
  await world.b.keeper.look(id, signal);
  await setBack();
  await vault.settle();
  vault.save(world.a, "ra", "under the second key");
  await vault.settle();
  expect(vault.epochsFor(isRecovery)).toEqual([1, 2]);
  // The first device is lost now: the code opens all of it.
  const recovered = await world.b.keeper.recover(id, vault.code, signal);
  expect(recovered).toMatchObject({ ok: true });
  await world.b.sync();
  expect(world.b.titles()).toEqual({ ra: "under the second key" });
});

test("[EE20] what is handed out anew goes by epochs: a set of keys with a hole is filled", async () => {
  await vault.letIn();
  await vault.settle();
  await world.a.keeper.rotate(id, signal);
  await vault.settle();
  await world.a.keeper.rotate(id, signal);
  loseWraps(({ recipient, epoch }) => recipient === world.a.id && epoch === 2);
  await world.b.sync();
  await world.b.sync();
  expect(vault.epochsFor((recipient) => recipient === world.a.id)).toEqual([1, 2, 3]);
});

test("[EE20] by a server that tells how many keys are there, and not which, they are handed out as well", async () => {
  await vault.letIn();
  await vault.settle();
  await world.a.keeper.rotate(id, signal);
  loseWraps(({ recipient, epoch }) => recipient === world.b.id && epoch === 2);
  tellsCounts = true;
  await vault.settle();
  expect(vault.epochsFor((recipient) => recipient === world.b.id)).toEqual([1, 2]);
});

test("[EE16] a code for which keys are missing is not spent, and opens them when they come", async () => {
  await world.b.sync();
  await writeUnderSecond();
  const giveBack = loseWraps(({ recipient, epoch }) => isRecovery(recipient) && epoch === 2);
  const first = await world.b.keeper.recover(id, vault.code, signal);
  expect(first).toMatchObject({ ok: false, error: { code: "opened-in-part" } });
  expect(first).toMatchObject({
    error: { message: expect.stringContaining("no key 2 ") as string },
  });
  expect(keysOf(world.b)).toEqual([1]);
  const nothingNew = await world.b.keeper.recover(id, vault.code, signal);
  expect(nothingNew).toMatchObject({ ok: false, error: { code: "opened-in-part" } });
  giveBack();
  const second = await world.b.keeper.recover(id, vault.code, signal);
  expect(second).toMatchObject({ ok: true });
  await world.b.sync();
  expect(world.b.titles()).toEqual({ ra: "under the second key" });
  const spent = await world.b.keeper.recover(id, vault.code, signal);
  expect(spent).toMatchObject({ ok: false, error: { code: "wrong-code" } });
});

test("[EE16] a device that is in takes from the code the keys that it lacks", async () => {
  await vault.letIn();
  await vault.settle();
  await writeUnderSecond();
  loseWraps(({ recipient, epoch }) => recipient === world.b.id && epoch === 2);
  expect(await world.b.keeper.look(id, signal)).toMatchObject({
    value: { hasKey: false, isIn: true, isAdmin: true },
  });
  expect(await world.b.keeper.recover(id, vault.code, signal)).toMatchObject({ ok: true });
  await world.b.sync();
  expect(world.b.titles()).toEqual({ ra: "under the second key" });
});

test("[EE16] a device that has every key is told that the code was not spent", async () => {
  await vault.letIn();
  await vault.settle();
  const done = await world.b.keeper.recover(id, vault.code, signal);
  expect(done).toMatchObject({ ok: false, error: { code: "already-in" } });
  expect(vault.epochsFor(isRecovery)).toEqual([1]);
});

test("[EE16] no code is taken out by a device that lacks the newest key: it may be the last to open that", async () => {
  await vault.letIn();
  await vault.settle();
  await writeUnderSecond();
  loseWraps(({ recipient, epoch }) => recipient === world.b.id && epoch === 2);
  await world.b.sync();
  const renewed = await world.b.keeper.renewRecovery(id, signal);
  expect(renewed).toMatchObject({ ok: false, error: { code: "no-key" } });
  expect(await world.b.keeper.recover(id, vault.code, signal)).toMatchObject({ ok: true });
});

test("[EE16] a new code whose answer was lost is shown all the same where it counts", async () => {
  await world.b.sync();
  lostAnswers = "/keys";
  const renewed = await world.a.keeper.renewRecovery(id, signal);
  lostAnswers = undefined;
  if (!renewed.ok) throw new Error(renewed.error.message);
  const old = await world.b.keeper.recover(id, vault.code, signal);
  expect(old).toMatchObject({ ok: false, error: { code: "wrong-code" } });
  const code = codeOf(renewed.value.recoveryCode);
  expect(await world.b.keeper.recover(id, code, signal)).toMatchObject({ ok: true });
});

test("[EE16] a namespace whose making was not answered is there, with its recovery code", async () => {
  lostAnswers = "/v1/namespaces";
  const made = await world.a.keeper.create("second", signal);
  lostAnswers = undefined;
  if (!made.ok) throw new Error(made.error.message);
  expect(made.value.info).toMatchObject({ name: "second", role: "owner" });
  await world.a.sync();
  const sealing = world.a.store.replicas.sealing(made.value.info.id);
  expect(sealing).toMatchObject({ name: "second", hasKey: true });
  await world.b.sync();
  const code = codeOf(made.value.recoveryCode);
  const recovered = await world.b.keeper.recover(made.value.info.id, code, signal);
  expect(recovered).toMatchObject({ ok: true });
});

test("[EE16] where nobody knows whether a code counts, that is said with what to run", async () => {
  await world.b.sync();
  const renewed = await inOutage("/keys", () => world.a.keeper.renewRecovery(id, signal));
  if (renewed.ok) throw new Error("nobody could know");
  expect(renewed.error.code).toBe("unsure-recovery-code");
  expect(renewed.error.hint).toContain(`tidemark namespace rotate ${id} --recovery-code`);
  const again = await world.a.keeper.renewRecovery(id, signal);
  if (!again.ok) throw new Error(again.error.message);
  const code = codeOf(again.value.recoveryCode);
  expect(await world.b.keeper.recover(id, code, signal)).toMatchObject({ ok: true });
});

test("[EE16] where nobody knows whether a namespace was made, what is said leads to it", async () => {
  const made = await inOutage("/v1/namespaces", () => world.a.keeper.create("second", signal));
  if (made.ok) throw new Error("nobody could know");
  expect(made.error.code).toBe("unsure-namespace");
  const [second] = /nse_\w+/.exec(made.error.hint) ?? [];
  if (second === undefined) throw new Error("no id is told");
  await world.a.sync();
  const sealing = world.a.store.replicas.sealing(second as NamespaceId);
  expect(sealing).toMatchObject({ name: "second", hasKey: true });
  const renewed = await world.a.keeper.renewRecovery(second as NamespaceId, signal);
  expect(renewed).toMatchObject({ ok: true });
});

test("[EE15] what another process read before this one took it was done once", async () => {
  const { length = 0 } = world.a.store.replicas.sealing(id) ?? {};
  const { replicas } = world.a.store;
  const take = replicas.takeSealing.bind(replicas);
  let count = 0;
  const taking = vi.spyOn(replicas, "takeSealing").mockImplementation((sealing, keys) => {
    const isTaken = take(sealing, keys);
    count += 1;
    return count === 2 ? false : isTaken;
  });
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ value: { epoch: 2 } });
  taking.mockRestore();
  expect(count).toBe(3);
  expect(replicas.sealing(id)).toMatchObject({ length: length + 1, epoch: 2 });
});

/** The keyring of the second device, as that of somebody. */
function keyringOf(user: { readonly id: UserId; readonly name: string }): Keyring {
  return openKeyring({
    caller: world.b.caller,
    key: world.b.key,
    identity: {
      device: { id: world.b.id, name: "device-1" },
      user,
      server: { id: "srv_test", url: "https://tidemark.example" },
      pairedAtMs: 0,
    },
    clock: world.clock,
    random: systemRandom,
  });
}

/** The first device's home, paired again as the second device. */
function pairedAnew(): Keeper {
  const user = { id: userId(new Uint8Array(16).fill(2)), name: "Ada" };
  return keyringOf(user).keeper(world.a.store);
}

test("[EE36] a home that has keys and is not in lets nobody in", async () => {
  await world.b.sync();
  const look = await world.a.keeper.look(id, signal);
  const [waiting] = look.ok ? look.value.waiting : [];
  if (waiting === undefined) throw new Error("nobody waits");
  const refused = await pairedAnew().admit(id, waiting, signal);
  expect(refused).toMatchObject({ ok: false, error: { code: "not-in" } });
});

test("[EE38] a code whose keys the server has lost lets in a home that has keys itself", async () => {
  await world.b.sync();
  const keeper = pairedAnew();
  loseWraps(({ recipient }) => isRecovery(recipient));
  expect(await keeper.look(id, signal)).toMatchObject({ value: { hasKey: true, isIn: false } });
  const recovered = await keeper.recover(id, vault.code, signal);
  expect(recovered).toMatchObject({ ok: true });
  expect(await keeper.look(id, signal)).toMatchObject({ value: { isIn: true, isAdmin: true } });
  expect(await keeper.rotate(id, signal)).toMatchObject({ ok: true });
});

test("[EE38] a home without keys is told that the code is right, and what the server has lost", async () => {
  await world.b.sync();
  loseWraps(({ recipient }) => isRecovery(recipient));
  const refused = await world.b.keeper.recover(id, vault.code, signal);
  expect(refused).toMatchObject({ ok: false, error: { code: "opens-nothing" } });
  expect(vault.state().log).toHaveLength(2);
  // Whoever is in and has them hands them to the code again.
  await world.a.sync();
  expect(await world.b.keeper.recover(id, vault.code, signal)).toMatchObject({ ok: true });
});

/** Makes the second device another person's, an admin on the server, and lets it in. */
async function letInColleague(): Promise<Keeper> {
  await world.b.sync();
  const user = "usr_bob" as UserId;
  const accounts = vault.accounts();
  accounts.users.set(user, { id: user, name: "Bob", isOwner: false });
  const device = accounts.devices.get(world.b.id);
  if (device === undefined) throw new Error("no second device");
  accounts.devices.set(world.b.id, { ...device, user, sealingKey: undefined });
  vault.state().members.set(user, "admin");
  const keyring = keyringOf({ id: user, name: "Bob" });
  await keyring.exchange(world.b.store).announce(undefined, signal);
  const keeper = keyring.keeper(world.b.store);
  await keeper.look(id, signal);
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  await world.a.keeper.admit(id, look.value.waiting[0], signal);
  return keeper;
}

test("[EE15] a device that was let in as a member's is told that an admin's makes new keys", async () => {
  const keeper = await letInColleague();
  expect(await keeper.look(id, signal)).toMatchObject({
    value: { hasKey: true, isIn: true, isAdmin: false },
  });
  const refusal = { ok: false, error: { code: "needs-admin-device" } };
  expect(await keeper.rotate(id, signal)).toMatchObject(refusal);
  expect(await keeper.renewRecovery(id, signal)).toMatchObject(refusal);
  expect(vault.state().log).toHaveLength(3);
});

test("[EE33] whoever shuts out the person of a recovery code keeps it in where it may be the last to open the newest key", async () => {
  const keeper = await letInColleague();
  const user = "usr_bob";
  expect(await world.a.keeper.entitle(id, { user, role: "admin" }, signal)).toMatchObject({
    ok: true,
  });
  await writeUnderSecond();
  loseWraps(({ recipient, epoch }) => recipient === world.b.id && epoch === 2);
  const out = await keeper.shutOut(id, (one) => one.user !== user, signal);
  expect(out).toEqual({ ok: true, value: 1 });
  expect(await keeper.recover(id, vault.code, signal)).toMatchObject({ ok: true });
  expect(keysOf(world.b)).toEqual([1, 2, 3, 4]);
});

test("[EE34] a device that is in as a member's lets others in once the code was typed on it", async () => {
  const keeper = await letInColleague();
  expect(await keeper.look(id, signal)).toMatchObject({ value: { isIn: true, isAdmin: false } });
  const recovered = await keeper.recover(id, vault.code, signal);
  expect(recovered).toMatchObject({ ok: true });
  expect(await keeper.look(id, signal)).toMatchObject({ value: { isIn: true, isAdmin: true } });
  expect(await keeper.rotate(id, signal)).toMatchObject({ ok: true });
});

test("[EE34] where the log has no more room, a device that is in as a member's takes the keys from the code", async () => {
  const keeper = await letInColleague();
  await writeUnderSecond();
  loseWraps(({ recipient, epoch }) => recipient === world.b.id && epoch === 2);
  isFull = true;
  expect(await keeper.recover(id, vault.code, signal)).toMatchObject({ ok: false });
  expect(keysOf(world.b)).toEqual([1, 2]);
  expect(vault.state().log).toHaveLength(4);
});

test("[EE33] by a device that has the newest key, a code goes with its person", async () => {
  const keeper = await letInColleague();
  const user = "usr_bob";
  await world.a.keeper.entitle(id, { user, role: "admin" }, signal);
  await keeper.look(id, signal);
  const out = await keeper.shutOut(id, (one) => one.user !== user, signal);
  expect(out).toEqual({ ok: true, value: 2 });
  const spent = await keeper.recover(id, vault.code, signal);
  expect(spent).toMatchObject({ ok: false, error: { code: "wrong-code" } });
});

test("[EE26] a log that has no more room lets nobody in by the code, and says so", async () => {
  await world.b.sync();
  isFull = true;
  const refused = await world.b.keeper.recover(id, vault.code, signal);
  expect(refused).toMatchObject({ ok: false, error: { code: "full-log" } });
});
