import { afterAll, beforeAll } from "vitest";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { sealedScenarios } from "./testing/sealed-scenarios.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(async () => {
  await stores.drop();
});

sealedScenarios(async (clock) => await stores.open(clock));
