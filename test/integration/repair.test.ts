import { readFileSync, writeFileSync } from "node:fs";
import { localNamespace, type RecordId } from "../../packages/protocol/src/index.ts";
import { lookInto, openRepaired } from "../../apps/client/src/store/testing/damage.ts";
import { scrubbed } from "../../apps/client/src/store/testing/test-store.ts";
import { expect, test } from "vitest";
import { createWorld, type Device, type World } from "./world.ts";

const pageSize = 4096;

/** Something of everything: synced, unsent, and what never leaves the device. */
async function useFor(world: World, count: number): Promise<void> {
  const { a, b } = world;
  for (let n = 0; n < count; n += 1) a.put(`synced${String(n)}`, { title: `synced ${String(n)}` });
  await a.sync();
  await b.sync();
  for (let n = 0; n < count; n += 1) a.put(`unsent${String(n)}`, { title: `unsent ${String(n)}` });
  for (let n = 0; n < 5; n += 1) a.set(`synced${String(n)}`, { title: `edited ${String(n)}` });
  const fields = scrubbed({ title: "for me alone" });
  const change = { kind: "put", id: "own" as RecordId, collection: "observation", fields } as const;
  a.store.changes.change(localNamespace, [change], 1);
}

/**
 * A copy of the device in which one page is zeros, and the records whose ops stood on it.
 *
 * @param wanted a page; undefined: one that has ops on it, wherever the schema puts that
 */
function damagedDevice(
  world: World,
  wanted: number | undefined,
): { readonly device: Device; readonly lost: ReadonlySet<string> } {
  const lost = new Set<string>();
  const device = world.clone(world.a, (path) => {
    const page = wanted ?? lookInto(path).ops[0]?.page ?? 1;
    for (const op of lookInto(path).ops) if (op.page === page) lost.add(op.name);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, (page - 1) * pageSize, page * pageSize));
    openRepaired(path).store.close();
  });
  return { device, lost };
}

test("[ST14] a device with a ruined page syncs all it could read, and the server gives back the rest", async () => {
  let losses = 0;
  const pages = Array.from({ length: 13 }, (_, index) => 1 + 3 * index);
  for (const page of [...pages, undefined]) {
    const world = await createWorld();
    await useFor(world, 12);
    const { device, lost } = damagedDevice(world, page);
    losses += lost.size;
    for (let round = 0; round < 3; round += 1) await device.sync();
    await world.b.sync();
    const titles = world.b.titles();
    const named = (kind: string, n: number): boolean =>
      [...lost].some((name) => name.startsWith(`${kind}${String(n)} `));
    for (let n = 0; n < 12; n += 1) {
      const edited = n < 5 && !named("set synced", n);
      expect([page, titles[`synced${String(n)}`]]).toEqual([
        page,
        `${edited ? "edited" : "synced"} ${String(n)}`,
      ]);
      if (named("put unsent", n)) continue;
      expect([page, titles[`unsent${String(n)}`]]).toEqual([page, `unsent ${String(n)}`]);
    }
    const replica = device.store.replicas.replica(world.namespace);
    const state = [replica?.verified, replica?.unsent, replica?.unverified, replica?.notice];
    expect([page, ...state]).toEqual([page, true, 0, 0, undefined]);
    const { own, ...shared } = device.titles();
    expect(shared).toEqual(titles);
    expect([undefined, "for me alone"]).toContain(own);
    world.close();
  }
  expect(losses).toBeGreaterThan(0);
});
