import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { commandsArbitrary, createActors } from "./testing/commands.ts";
import { createWorld } from "./testing/world.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(() => stores.drop());

test("[PG5] memory and Postgres answer every command alike", { timeout: 120_000 }, async () => {
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
