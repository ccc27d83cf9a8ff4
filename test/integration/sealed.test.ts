import { afterEach, expect, test, vi } from "vitest";
import type {
  ErrorCode,
  NamespaceId,
  RecordId,
  UserId,
} from "../../packages/protocol/src/index.ts";
import type { KeysAnswer } from "../../packages/protocol/src/wire/index.ts";
import { newDeviceKey } from "../../apps/client/src/platform/device-key.ts";
import { sealingKeyOf } from "../../apps/client/src/platform/sealing-key.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import { makeStatement } from "../../apps/client/src/sync/sealed/device-statement.ts";
import { wrapKey } from "../../apps/client/src/sync/sealed/key-wrap.ts";
import { refusalOf } from "./refusal.ts";
import { createWorld, type Device, type World } from "./world.ts";

/** What a server makes of its answers about keys; as they are, unless a test has it lie. */
type Lie = (answer: KeysAnswer) => KeysAnswer | Promise<KeysAnswer>;

let world: World;
let lie: Lie | undefined;
/** What the server says to the next changes of a log, where it takes none. */
const refusals: ErrorCode[] = [];
/** Whether the server is one that knows no encrypted namespaces. */
let isOfBefore = false;
/** What was asked for and sent, as path and body. */
const sent: { readonly path: string; readonly body: string }[] = [];
const signal = new AbortController().signal;

async function open(): Promise<{ readonly world: World; readonly id: NamespaceId }> {
  lie = undefined;
  isOfBefore = false;
  sent.length = 0;
  refusals.length = 0;
  world = await createWorld(
    async (request, deliver) => {
      const path = new URL(request.url).pathname;
      sent.push({ path, body: await request.text() });
      const isChange = path.endsWith("/keys") && request.method === "POST";
      const refused = isChange ? refusals.shift() : undefined;
      if (refused !== undefined) return refusalOf(refused);
      const response = await deliver();
      if (isOfBefore && path === "/v1/hello") return withoutFeatures(response);
      if (lie === undefined || !path.endsWith("/keys") || response.status !== 200) return response;
      const told = await lie((await response.json()) as KeysAnswer);
      return new Response(JSON.stringify(told), { status: 200, headers: response.headers });
    },
    undefined,
    { isSealed: true },
  );
  await world.a.sync();
  const made = await world.a.keeper.create("vault", signal);
  if (!made.ok) throw new Error(made.error.message);
  await world.a.sync();
  await world.b.sync();
  return { world, id: made.value.info.id };
}

async function withoutFeatures(response: Response): Promise<Response> {
  const hello = { ...((await response.json()) as object), features: [] };
  return new Response(JSON.stringify(hello), { status: 200, headers: response.headers });
}

afterEach(() => {
  world.close();
});

function save(device: Device, namespace: NamespaceId, id: string, title: string): void {
  const fields = { title } as unknown as ScrubbedFields;
  const put = { kind: "put", id: id as RecordId, collection: "observation", fields } as const;
  const changed = device.store.changes.change(namespace, [put], world.clock.nowMs());
  if (!changed.ok) throw new Error(changed.error.kind);
}

async function letIn(id: NamespaceId): Promise<void> {
  await world.b.keeper.look(id, signal);
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  const done = await world.a.keeper.admit(id, look.value.waiting[0], signal);
  if (!done.ok) throw new Error(done.error.message);
}

/** The answer of a server that has shut the second device out. */
const withoutB = (answer: KeysAnswer): KeysAnswer => ({
  ...answer,
  devices: answer.devices.filter(({ id }) => id !== world.b.id),
  present: answer.present?.filter((id) => id !== world.b.id),
});

const sealing = (device: Device, id: NamespaceId) => device.store.replicas.sealing(id);
const pushes = (id: NamespaceId) => sent.filter(({ path }) => path === `/v1/namespaces/${id}/ops`);

test("[EE5] a server of before is asked for no encrypted namespace: it would make a plain one", async () => {
  await open();
  isOfBefore = true;
  sent.length = 0;
  const made = await world.a.keeper.create("vault", signal);
  expect(made).toMatchObject({ ok: false, error: { code: "upgrade-server" } });
  expect(sent.map(({ path }) => path)).toEqual(["/v1/hello"]);
});

test("[EE14] both sides show the same fingerprint of a device", async () => {
  const { id } = await open();
  const asked = await world.b.keeper.look(id, signal);
  const seen = await world.a.keeper.look(id, signal);
  if (!asked.ok || !seen.ok) throw new Error("no look");
  expect(asked.value).toMatchObject({ hasKey: false });
  expect(seen.value.waiting.map(({ fingerprint }) => fingerprint)).toEqual([
    asked.value.fingerprint,
  ]);
});

test("[EE14] a device that another has let in meanwhile is in, and nothing is said twice", async () => {
  const { id } = await open();
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  const [waiting] = look.value.waiting;
  expect(await world.a.keeper.admit(id, waiting, signal)).toEqual({ ok: true });
  sent.length = 0;
  expect(await world.a.keeper.admit(id, waiting, signal)).toEqual({ ok: true });
  expect(sent.filter(({ body }) => body !== "")).toEqual([]);
  const other = { ...waiting, keys: { ...waiting.keys, enc: waiting.keys.sig } };
  expect(await world.a.keeper.admit(id, other, signal)).toMatchObject({ ok: false });
  await world.a.keeper.shutOut(id, ({ device }) => device === world.b.id, signal);
  expect(await world.a.keeper.admit(id, waiting, signal)).toEqual({ ok: true });
  const again = await world.b.keeper.look(id, signal);
  expect(again).toMatchObject({ ok: true, value: { hasKey: true } });
});

test("[EE17] a device that is let in takes no key before somebody asks for it there", async () => {
  const { id } = await open();
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  await world.a.keeper.admit(id, look.value.waiting[0], signal);
  await world.b.sync();
  expect(sealing(world.b, id)).toMatchObject({ hasKey: false, name: undefined });
  const asked = await world.b.keeper.look(id, signal);
  expect(asked).toMatchObject({ ok: true, value: { hasKey: true } });
});

test("[EE13] keys that the server names for a device, and the device did not state, are shown to nobody", async () => {
  const { id } = await open();
  const mallory = newDeviceKey();
  const enc = sealingKeyOf(mallory.privateJwk()).x;
  // Signed by another key than the one named, and for another device.
  const foreign = await makeStatement(
    { ...mallory.privateJwk() },
    { device: world.b.id, user: "u", enc },
  );
  const elsewhere = await makeStatement(
    { ...mallory.privateJwk() },
    { device: "dev_x", user: "u", enc },
  );
  for (const sealingKey of [foreign, elsewhere, "a.b.c"]) {
    lie = (answer) => ({
      ...answer,
      devices: answer.devices.map((one) => (one.id === world.b.id ? { ...one, sealingKey } : one)),
    });
    const look = await world.a.keeper.look(id, signal);
    expect(look).toMatchObject({ ok: true, value: { waiting: [] } });
  }
});

test("[EE13] a device that the server says is somebody else's is offered to nobody", async () => {
  const { id } = await open();
  // With the right of an admin's person it could let others in.
  lie = (answer) => ({
    ...answer,
    devices: answer.devices.map((one) =>
      one.id === world.b.id ? { ...one, user: "somebody-else" as UserId } : one,
    ),
  });
  expect(await world.a.keeper.look(id, signal)).toMatchObject({ ok: true, value: { waiting: [] } });
});

test("[EE19] who is shut out by a person is out, though the server goes on to name their device", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  const out = await world.a.keeper.shutOut(id, (one) => one.device === world.b.id, signal);
  expect(out).toMatchObject({ ok: true, value: 1 });
  save(world.a, id, "ra", "after");
  await world.a.sync();
  await world.b.sync();
  expect(sealing(world.b, id)).toMatchObject({ epoch: 2, hasKey: false });
  expect(world.b.titles()).toEqual({});
  expect(await world.b.keeper.shutOut(id, () => true, signal)).toMatchObject({ value: 0 });
});

test("[EE19] where others change the log first, what was asked is done on what they made, a few times", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  const overtake = (count: number): void => {
    refusals.push(...Array.from({ length: count }, () => "conflict" as const));
  };
  overtake(3);
  expect(await world.a.keeper.rotate(id, signal)).toMatchObject({ value: { epoch: 2 } });
  overtake(4);
  const isOfB = ({ device }: { readonly device: string }): boolean => device === world.b.id;
  const shutOut = await world.a.keeper.shutOut(id, isOfB, signal);
  expect(shutOut).toMatchObject({ ok: false, error: { code: "overtaken" } });
  expect(await world.a.keeper.shutOut(id, isOfB, signal)).toMatchObject({ value: 1 });
});

test("[EE6] an answer that is slow to verify sets back nothing that another process read meanwhile", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  let older: KeysAnswer | undefined;
  lie = (answer) => (older ??= answer);
  await world.a.keeper.look(id, signal);
  const before = sealing(world.a, id);
  lie = undefined;
  const out = await world.a.keeper.shutOut(id, (one) => one.device === world.b.id, signal);
  expect(out).toMatchObject({ value: 1 });
  const after = sealing(world.a, id);
  expect(after?.length).toBeGreaterThan(before?.length ?? 0);
  // One that had begun to verify the older answer before that.
  const pin = vi.spyOn(world.a.store.replicas, "sealing").mockReturnValue(before);
  const told: KeysAnswer[] = [];
  lie = (answer) => {
    if (told.length === 1) pin.mockRestore();
    told.push(told.length === 0 ? (older ?? answer) : answer);
    return told.at(-1) ?? answer;
  };
  const look = await world.a.keeper.look(id, signal);
  expect(told.map(({ log }) => log.length)).toEqual([before?.length, after?.length]);
  expect(look).toMatchObject({ ok: true, value: { hasKey: true, isIn: true } });
  expect(sealing(world.a, id)).toEqual(after);
});

test("[EE15] who may begin no epoch is told why, and where to do it", async () => {
  const { id } = await open();
  expect(await world.b.keeper.rotate(id, signal)).toMatchObject({ error: { code: "not-in" } });
  await world.b.keeper.look(id, signal);
  lie = (answer) => ({ ...answer, wraps: [] });
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  await world.a.keeper.admit(id, look.value.waiting[0], signal);
  const out = await world.b.keeper.shutOut(id, ({ device }) => device === world.a.id, signal);
  expect(out).toMatchObject({ ok: false, error: { code: "no-key" } });
  const rotated = await world.b.keeper.rotate(id, signal);
  expect(rotated).toMatchObject({ error: { message: expect.stringContaining("is in") as string } });
});

test("[EE16] a namespace whose recovery code could not be made says how to make one", async () => {
  await open();
  let count = 0;
  // The log is read once after the namespace was made, and grows by the code's device after that.
  lie = (answer) => ((count += 1) > 1 ? { ...answer, log: [] } : answer);
  const made = await world.a.keeper.create("second", signal);
  expect(made).toMatchObject({ ok: false, error: { code: "no-recovery-code" } });
});

test("[EE15] a device that may not begin an epoch asks once, and not again and again", async () => {
  const { id } = await open();
  await letIn(id);
  lie = withoutB;
  refusals.push(...Array.from({ length: 9 }, () => "forbidden" as const));
  sent.length = 0;
  await world.a.sync();
  expect(sent.filter(({ path }) => path.endsWith("/keys"))).toHaveLength(2);
});

test("[EE10] a log that was cut or is another's stops all sending, until a true one comes (abuse 142)", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  expect(sealing(world.b, id)).toMatchObject({ hasKey: true, length: 3 });
  save(world.b, id, "r1", "before the lie");
  for (const cut of [1, 2]) {
    lie = (answer) => ({ ...answer, log: answer.log.slice(0, cut) });
    await world.b.sync();
    expect(sealing(world.b, id)?.trouble).toContain("older or another log");
  }
  lie = (answer) => ({ ...answer, log: answer.log.toReversed() });
  await world.b.sync();
  expect(sealing(world.b, id)?.trouble).toContain("another namespace");
  expect(pushes(id)).toEqual([]);
  lie = undefined;
  await world.b.sync();
  expect(sealing(world.b, id)?.trouble).toBeUndefined();
  expect(pushes(id)).toHaveLength(1);
  await world.a.sync();
  expect(world.a.titles()).toEqual({ r1: "before the lie" });
});

test("[EE7] a key that the server chose is never sealed under (abuse 141)", async () => {
  const { id } = await open();
  const mallory = newDeviceKey();
  const chosen = { epoch: 1, key: new Uint8Array(32).fill(7), names: new Uint8Array(32).fill(8), name: "mine" }; // prettier-ignore
  await letIn(id);
  const enc = sealingKeyOf(world.b.key.privateJwk()).x;
  for (const by of [world.a.id, world.b.id, "dev_x"]) {
    const wrapping = {
      namespace: id,
      by: { device: by, jwk: { ...mallory.privateJwk() } },
      to: { device: world.b.id, enc },
    };
    const wrap = await wrapKey(wrapping, chosen);
    lie = (answer) => ({ ...answer, wraps: [{ epoch: 1, recipient: world.b.id, wrap }] });
    await world.b.sync();
    expect(sealing(world.b, id)).toMatchObject({ hasKey: false });
    expect(world.b.store.replicas.heldKeys(id)).toBeUndefined();
  }
  save(world.b, id, "r1", "waits");
  await world.b.sync();
  expect(pushes(id)).toEqual([]);
  lie = undefined;
  await world.b.sync();
  await world.a.sync();
  expect(world.a.titles()).toEqual({ r1: "waits" });
});

test("[EE15] a server that names no devices takes nobody out", async () => {
  const { id } = await open();
  await letIn(id);
  lie = (answer) => ({ ...answer, devices: [], present: [] });
  await world.a.sync();
  lie = undefined;
  await world.b.sync();
  expect(sealing(world.b, id)).toMatchObject({ hasKey: true, epoch: 1 });
});

test("[EE15] a device whose key for wraps the server has lost has not left", async () => {
  const { id } = await open();
  await letIn(id);
  lie = (answer) => ({ ...withoutB(answer), present: answer.present });
  await world.a.sync();
  expect(sealing(world.a, id)).toMatchObject({ epoch: 1 });
});

test("[EE15] a device that was taken out is told so, and comes in again by a person's word on an admin's", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  lie = withoutB;
  await world.a.sync();
  lie = undefined;
  expect(sealing(world.a, id)).toMatchObject({ epoch: 2, hasKey: true });
  const asked = await world.b.keeper.look(id, signal);
  expect(asked).toMatchObject({ ok: true, value: { isOut: true, hasKey: false } });
  const turned = await world.b.keeper.rotate(id, signal);
  expect(turned).toMatchObject({ ok: false, error: { code: "not-in" } });
  save(world.a, id, "ra", "of a");
  save(world.b, id, "rb", "of b, which waits");
  await world.a.sync();
  const look = await world.a.keeper.look(id, signal);
  if (!look.ok || look.value.waiting[0] === undefined) throw new Error("nobody waits");
  expect(look.value.waiting).toMatchObject([{ wasOut: true }]);
  await world.a.keeper.admit(id, look.value.waiting[0], signal);
  for (const device of [world.b, world.a]) await device.sync();
  expect(sealing(world.b, id)).toMatchObject({ epoch: 2, hasKey: true });
  const titles = { ra: "of a", rb: "of b, which waits" };
  expect([world.a.titles(), world.b.titles()]).toEqual([titles, titles]);
});

test("[EE15] two admins' devices that begin an epoch at once end with one, and nothing is lost (abuse 148)", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  save(world.a, id, "ra", "of a");
  save(world.b, id, "rb", "of b");
  const [one, two] = await Promise.all([
    world.a.keeper.rotate(id, signal),
    world.b.keeper.rotate(id, signal),
  ]);
  expect([one.ok, two.ok]).toContain(true);
  for (const device of [world.a, world.b, world.a, world.b]) await device.sync();
  expect(sealing(world.a, id)).toMatchObject({ hasKey: true });
  expect(sealing(world.a, id)?.epoch).toBe(sealing(world.b, id)?.epoch);
  expect(world.a.titles()).toEqual({ ra: "of a", rb: "of b" });
  expect(world.b.titles()).toEqual(world.a.titles());
});

test("[EE11] a push that meets a new key fetches it and goes again at once", async () => {
  const { id } = await open();
  await letIn(id);
  await world.b.sync();
  save(world.b, id, "rb", "under the first key");
  let isRotated = false;
  lie = async (answer) => {
    if (isRotated) return answer;
    isRotated = true;
    // After b has read the log, and before it pushes.
    await world.a.keeper.rotate(id, signal);
    return answer;
  };
  const outcome = await world.b.sync();
  expect(outcome.isDone).toBe(true);
  expect(pushes(id).map(({ body }) => body.includes('"epoch":2'))).toEqual([false, true]);
  await world.a.sync();
  expect(world.a.titles()).toEqual({ rb: "under the first key" });
});

test("[EE2] what goes to the server says neither a name, a value nor how long it is (abuse 151)", async () => {
  const { id } = await open();
  await letIn(id);
  for (let length = 1; length < 200; length += 1)
    save(world.a, id, `r${length}`, "q".repeat(length));
  await world.a.sync();
  const bodies = pushes(id).map(({ body }) => body);
  const values = bodies.join("").match(/sealed1\.[\w.-]+/g) ?? [];
  expect(values).toHaveLength(199);
  expect(new Set(values.map((value) => value.length)).size).toBeLessThanOrEqual(24);
  expect(bodies.join("")).not.toMatch(/title|q{9}|vault/);
});
