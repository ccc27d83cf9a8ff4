import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createSaverHome,
  expectWhole,
  removeSaverHome,
  startSaver,
  startStarters,
  type Saver,
  type SaverHome,
} from "./store-processes.ts";

let home: SaverHome;

beforeEach(async () => {
  home = await createSaverHome();
});

afterEach(() => {
  removeSaverHome(home);
});

test("[ST11] eight processes that save at once lose nothing, from the first open on", async () => {
  const savers = Array.from({ length: 8 }, (_, n) => startSaver(home, `process${n}`, 200));
  for (const saver of savers) {
    expect({ ...(await saver.ended), errors: saver.errors() }).toEqual({
      code: 0,
      signal: null,
      errors: "",
    });
  }
  const acknowledged = savers.flatMap((saver) => saver.acknowledged());
  expect(new Set(acknowledged).size).toBe(1600);
  expectWhole(home, acknowledged);
});

// Where this can fail it does so for about one opening in twelve.
test("[ST11] eight processes that open a new database at the same instant all have it", async () => {
  const starters = await startStarters(home.folder, 8);
  for (let round = 0; round < 60; round += 1) {
    const said = await starters.openAtOnce(join(home.folder, `new${round}.db`));
    expect(said).toEqual(said.map(() => "opened"));
  }
  starters.end();
});

const rounds = 50;
/** Of these, all but the first are killed while they save, the first while it starts. */
const saversAtOnce = 4;
const savingMsMax = 60;
const startingMsMax = 150;

/** A small generator of the same numbers every time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function killWithin(saver: Saver, delayMs: number): Promise<readonly string[]> {
  await sleep(delayMs);
  saver.child.kill("SIGKILL");
  const { signal } = await saver.ended;
  expect({ signal, errors: saver.errors() }).toEqual({ signal: "SIGKILL", errors: "" });
  return saver.acknowledged();
}

// The delay of a saver that is to be killed while it saves counts from its first save: counted from
// its start, a busy machine would have every kill fall before anything was saved.
async function killOne(saver: Saver, index: number, random: number): Promise<readonly string[]> {
  if (index === 0) return killWithin(saver, random * startingMsMax);
  await saver.firstAcknowledged;
  const ids = await killWithin(saver, random * savingMsMax);
  expect(ids.length).toBeGreaterThan(0);
  return ids;
}

test("[ST12] every save that was acknowledged is there after any kill, and the database is whole", async () => {
  const random = seeded(20_261_121);
  const acknowledged: string[] = [];
  let kills = 0;
  for (let round = 0; round < rounds; round += 1) {
    const savers = Array.from({ length: saversAtOnce }, (_, n) =>
      startSaver(home, `round${round}saver${n}`, 1_000_000),
    );
    const ids = await Promise.all(savers.map((saver, n) => killOne(saver, n, random())));
    acknowledged.push(...ids.flat());
    kills += savers.length;
    if (round % 10 === 9) expectWhole(home, acknowledged);
  }
  expect(kills).toBe(200);
  expectWhole(home, acknowledged);
});
