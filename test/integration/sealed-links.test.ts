import { afterEach, expect, test } from "vitest";
import type { NamespaceId, RecordId, UserId } from "../../packages/protocol/src/index.ts";
import type { KeysAnswer, SealingDevice } from "../../packages/protocol/src/wire/index.ts";
import { newDeviceKey, thumbprintOf } from "../../apps/client/src/platform/device-key.ts";
import { sealingKeyOf } from "../../apps/client/src/platform/sealing-key.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import { makeStatement } from "../../apps/client/src/sync/sealed/device-statement.ts";
import { createWorld, linkOfB, type World } from "./world.ts";

type Body = Record<string, unknown>;

let world: World;
/** What a server that lies makes of its answers, by the end of their path. */
let lie: ((path: string, body: Body) => Body | Promise<Body>) | undefined;
const signal = new AbortController().signal;

afterEach(() => {
  world.close();
});

/** Two devices of one person; the first has an encrypted namespace with something in it. */
async function open(): Promise<NamespaceId> {
  lie = undefined;
  world = await createWorld(
    async (request, deliver) => {
      const response = await deliver();
      const isJson = response.headers.get("content-type")?.includes("json") === true;
      if (lie === undefined || !isJson || response.status !== 200) return response;
      const told = await lie(new URL(request.url).pathname, (await response.json()) as Body);
      return new Response(JSON.stringify(told), { status: 200, headers: response.headers });
    },
    undefined,
    { isSealed: true },
  );
  await world.a.sync();
  const made = await world.a.keeper.create("vault", signal);
  if (!made.ok) throw new Error(made.error.message);
  const { id } = made.value.info;
  await world.a.sync();
  const fields = { title: "the gate opens at nine" } as unknown as ScrubbedFields;
  const put = { kind: "put", id: "r1" as RecordId, collection: "observation", fields } as const;
  const changed = world.a.store.changes.change(id, [put], world.clock.nowMs());
  if (!changed.ok) throw new Error(changed.error.kind);
  return id;
}

/** What `device add` keeps on the one side, and `pair` on the other. */
function keepLink({ made = true, opened = true, lifeMs = 600_000 } = {}): void {
  if (made) world.a.links.keep({ ...linkOfB, side: "made", lifeMs });
  if (opened) world.b.links.keep({ ...linkOfB, side: "opened", lifeMs: 0 });
}

async function settle(): Promise<void> {
  for (const device of [world.b, world.a, world.b]) await device.sync();
}

const hasKey = (id: NamespaceId): boolean | undefined => world.b.store.replicas.sealing(id)?.hasKey;

/** The server's answer with another word on one device. */
function changedDevice(id: string, change: (device: SealingDevice) => Promise<object> | object) {
  return async (path: string, body: Body): Promise<Body> => {
    if (!path.endsWith("/keys")) return body;
    const devices: object[] = [];
    for (const one of (body as unknown as KeysAnswer).devices) {
      devices.push(one.id === id ? { ...one, ...(await change(one)) } : one);
    }
    return { ...body, devices };
  };
}

test("[EE21] [EE22] who came in by a link has the keys without anybody comparing anything", async () => {
  const id = await open();
  keepLink();
  await settle();
  expect(hasKey(id)).toBe(true);
  expect(world.b.titles()).toEqual({ r1: "the gate opens at nine" });
  expect(world.a.links.links()[0]).toMatchObject({
    isTold: true,
    joined: { device: world.b.id, name: "device-1", isVouched: true },
  });
  // It came in as a person would have let it in: it may let others in.
  expect(await world.b.keeper.rotate(id, signal)).toMatchObject({ ok: true, value: { epoch: 2 } });
});

test("[EE21] [EE22] a namespace that is made later opens as well, as long as the link vouches", async () => {
  await open();
  keepLink();
  await settle();
  const made = await world.a.keeper.create("second", signal);
  if (!made.ok) throw new Error(made.error.message);
  await settle();
  expect(hasKey(made.value.info.id)).toBe(true);
});

test("[EE21] a newcomer that keeps no link is let in, and takes the key when somebody asks", async () => {
  const id = await open();
  keepLink({ opened: false });
  await settle();
  expect(hasKey(id)).toBe(false);
  expect(await world.b.keeper.look(id, signal)).toMatchObject({ value: { hasKey: true } });
});

test("[EE21] a link of a long life has the newcomer's key checked, and lets it in nowhere", async () => {
  const id = await open();
  keepLink({ lifeMs: 7_200_000 });
  await settle();
  expect(world.a.links.links()[0]?.joined).toMatchObject({ isVouched: true });
  expect(hasKey(id)).toBe(false);
  expect(await world.a.keeper.look(id, signal)).toMatchObject({ value: { waiting: [{}] } });
});

test("[EE21] where the device that made the link keeps it no more, people compare fingerprints", async () => {
  const id = await open();
  keepLink({ made: false });
  await settle();
  expect(hasKey(id)).toBe(false);
  expect(await world.a.keeper.look(id, signal)).toMatchObject({
    value: { waiting: [{ keys: { device: world.b.id } }] },
  });
});

test("[EE21] a key that the server put in the place of the newcomer's is known, and lets nobody in", async () => {
  const id = await open();
  const mallory = newDeviceKey();
  lie = (path, body) => {
    if (!path.startsWith("/v1/links/")) return body;
    const { thumbprint } = mallory;
    return { ...body, device: { ...(body["device"] as object), thumbprint } };
  };
  keepLink();
  await settle();
  expect(hasKey(id)).toBe(false);
  expect(world.a.links.links()[0]?.joined).toMatchObject({ isVouched: false });
});

test("[EE21] a statement by another key than the one the link vouches for lets nobody in", async () => {
  const id = await open();
  const mallory = newDeviceKey();
  const { x: enc } = sealingKeyOf(mallory.privateJwk());
  lie = changedDevice(world.b.id, async ({ id: device, user }) => ({
    key: mallory.publicJwk,
    sealingKey: await makeStatement({ ...mallory.privateJwk() }, { device, user, enc }),
  }));
  keepLink();
  await settle();
  lie = undefined;
  expect(world.a.links.links()[0]?.joined?.isVouched).toBe(true);
  expect(await world.a.keeper.look(id, signal)).toMatchObject({
    value: { waiting: [{ keys: { device: world.b.id } }] },
  });
});

test("[EE21] a newcomer that the server calls somebody else's device is let in by nobody", async () => {
  const id = await open();
  const somebody = "somebody-else" as UserId;
  const { x: enc } = sealingKeyOf(world.b.key.privateJwk());
  lie = changedDevice(world.b.id, async ({ id: device }) => ({
    user: somebody,
    // Even where the newcomer was told so, and states it.
    sealingKey: await makeStatement(
      { ...world.b.key.privateJwk() },
      { device, user: somebody, enc },
    ),
  }));
  keepLink();
  await settle();
  lie = undefined;
  expect(hasKey(id)).toBe(false);
  expect(await world.a.keeper.look(id, signal)).toMatchObject({ value: { waiting: [{}] } });
});

test("[EE21] who was let in and taken out does not come in again by the link", async () => {
  const id = await open();
  keepLink();
  await settle();
  const isB = ({ device }: { readonly device: string }): boolean => device === world.b.id;
  expect(await world.a.keeper.shutOut(id, isB, signal)).toMatchObject({ value: 1 });
  await settle();
  expect(hasKey(id)).toBe(false);
});

test("[EE22] a server that keeps back what the maker vouches for leaves it to people", async () => {
  const id = await open();
  keepLink();
  const { x: enc } = sealingKeyOf(world.a.key.privateJwk());
  lie = changedDevice(world.a.id, async ({ id: device, user }) => ({
    sealingKey: await makeStatement({ ...world.a.key.privateJwk() }, { device, user, enc }),
  }));
  await settle();
  expect(hasKey(id)).toBe(false);
  expect(await world.b.keeper.look(id, signal)).toMatchObject({ value: { hasKey: true } });
});

test("[EE22] a server that was set back is told anew what the links vouch for", async () => {
  await open();
  keepLink();
  await world.a.sync();
  const statements: string[] = [];
  lie = async (path, body) => {
    if (path === "/v1/hello") return { ...body, sealingKey: false };
    if (path.endsWith("/keys")) {
      const { devices } = body as unknown as KeysAnswer;
      statements.push(
        ...devices.filter((one) => one.id === world.a.id).map((one) => one.sealingKey),
      );
    }
    return body;
  };
  await world.a.sync();
  const [, payload = ""] = (statements.at(-1) ?? "").split(".");
  expect(Buffer.from(payload, "base64url").toString()).toContain(linkOfB.id);
});

test("[EE21] the thumbprint of a key is the one that a device's own key has", () => {
  const key = newDeviceKey();
  expect(thumbprintOf(key.publicJwk.x)).toBe(key.thumbprint);
});
