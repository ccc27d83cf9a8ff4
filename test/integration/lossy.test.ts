/** A network that loses, repeats and cuts; whatever it does, everything arrives once and is kept. */
import { afterEach, expect, test } from "vitest";
import { createWorld, type Device, type Fate, type World } from "./world.ts";

let world: World | undefined;

afterEach(() => {
  world?.close();
});

/** The same numbers for the same seed (mulberry32). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function lossy(roll: () => number, isCalm: () => boolean): Fate {
  return async (_, deliver) => {
    const dice = isCalm() ? 1 : roll();
    if (dice < 0.1) throw new Error("lost on the way there");
    if (dice < 0.15) return new Response("<html>502</html>", { status: 502 });
    if (dice < 0.2) await deliver();
    const response = await deliver();
    if (dice < 0.35) throw new Error("lost on the way back");
    if (dice > 0.45) return response;
    const { status, headers } = response;
    const text = await response.text();
    return new Response(text.slice(0, Math.floor(text.length * roll())), { status, headers });
  };
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`[EN20] seed ${String(seed)}: lost, repeated and cut messages lose nothing and double nothing`, async () => {
    const roll = createDice(seed);
    let isCalm = false;
    const made = await createWorld(lossy(roll, () => isCalm));
    world = made;
    const devices: readonly Device[] = [made.a, made.b];
    const expected: Record<string, string> = {};
    for (let round = 0; round < 8; round += 1) {
      for (const [index, device] of devices.entries()) {
        const id = `r${String(round)}-${String(index)}`;
        device.put(id, { title: id });
        expected[id] = id;
        await device.sync();
      }
      if (round === 5 && seed % 2 === 0) await made.restoreServer();
    }
    isCalm = true;
    for (let round = 0; round < 3; round += 1) for (const device of devices) await device.sync();
    for (const device of devices) {
      expect(await device.sync()).toMatchObject({ isDone: true });
      expect(device.titles()).toEqual(expected);
      expect(device.store.reads.conflicts()).toEqual([]);
    }
    const [a, b] = devices.map(({ store }) => store.replicas.replica(made.namespace)?.confirmed);
    expect(a).toEqual(b);
  });
}
