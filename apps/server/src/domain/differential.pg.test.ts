import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyAccounts } from "../store/memory/account-state.ts";
import { testSeed } from "../../../../test/interleaving/walk.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { commandsArbitrary, createActors } from "./testing/commands.ts";
import { quotaPreset, type Quota } from "./quota.ts";
import { createShifter, shiftsArbitrary, type Shifter } from "./testing/shifting-commands.ts";
import { createWorld } from "./testing/world.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(() => stores.drop());

test("[PG5] memory and Postgres answer every command alike", async () => {
  const property = fc.asyncProperty(commandsArbitrary, async (commands) => {
    const twins = [
      await createActors(await createWorld(createMemoryStore({ clock: { nowMs: () => 1 } }))),
      await createActors(await createWorld(await stores.open({ nowMs: () => 1 }))),
    ] as const;
    for (const command of commands) {
      const [memory, postgres] = await Promise.all([twins[0].run(command), twins[1].run(command)]);
      expect(postgres).toEqual(memory);
    }
  });
  await fc.assert(property, { seed: 20_260, numRuns: 60 });
});

test("[PG5, QT1, QT3, HL5, MK2, MK3, NS5, NS7] both stores answer alike while roles, quotas, marks and namespaces change", async () => {
  const quotas = fc.constantFrom<Quota>(
    quotaPreset,
    { ...quotaPreset, recordsMax: 3, bytesMax: 10_000 },
    { ...quotaPreset, recordsMax: 50, bytesMax: 60 },
    { ...quotaPreset, deviceOpsMax: 4 },
  );
  const preset = 20_261;
  const seed = testSeed(preset);
  const met = new Set<string>();
  const property = fc.asyncProperty(shiftsArbitrary, quotas, async (shifts, quota) => {
    const [memory, postgres] = [await memoryShifter(quota), await postgresShifter(quota)];
    for (const shift of shifts) {
      const [expected, answer] = await Promise.all([memory.run(shift), postgres.run(shift)]);
      expect(answer).toEqual(expected);
      const text = JSON.stringify(expected) ?? "";
      for (const [, code = ""] of text.matchAll(/"(?:code|kind)":"([a-z-]+)"/g)) met.add(code);
    }
  });
  await fc.assert(property, { seed, numRuns: 25 });
  if (seed === preset) expect([...met]).toEqual(expect.arrayContaining(refusals));
});

/** What runs have to meet, or they show nothing. */
const refusals = [
  "quota",
  "history",
  "forbidden",
  "too-large",
  "collection-mismatch",
  "immutable",
  "invalid",
  "not-found",
  "last-owner",
  "writer-position",
  "lamport-too-far",
  "writer-foreign",
];

function ticking(): { nowMs(): number } {
  let now = 0;
  return { nowMs: () => (now += 1) };
}

async function memoryShifter(quota: Quota): Promise<Shifter> {
  const accounts = emptyAccounts();
  const store = createMemoryStore({ clock: ticking(), accounts });
  return createShifter(await createWorld(store, "shifts", quota), async (namespace) => {
    accounts.namespaces.delete(namespace);
  });
}

async function postgresShifter(quota: Quota): Promise<Shifter> {
  const store = await stores.open(ticking());
  const tables = ["namespaces", "members", "records", "revisions", "marks", "writers"];
  return createShifter(await createWorld(store, "shifts", quota), async (namespace) => {
    for (const table of tables) {
      await stores.admin`
        delete from ${stores.admin(`tidemark.${table}`)} where namespace_id = ${namespace}`;
    }
  });
}
