import { afterEach, beforeEach, expect, test } from "vitest";
import type { NamespaceId } from "../../packages/protocol/src/index.ts";
import { isRecovery } from "../../apps/client/src/sync/sealed/recovery-holder.ts";
import { codeOf, openVault, type Vault } from "./vault.ts";
import type { Device, Fate, World } from "./world.ts";

const signal = new AbortController().signal;
let vault: Vault;
let world: World;
let id: NamespaceId;
/** The path of requests whose answers never come. */
let lostAnswers: string | undefined;

const losing: Fate = async (request, deliver) => {
  const answer = await deliver();
  const isLost =
    request.method === "POST" && new URL(request.url).pathname.endsWith(lostAnswers ?? "//");
  if (isLost) throw new TypeError("the answer is lost");
  return answer;
};

beforeEach(async () => {
  lostAnswers = undefined;
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
