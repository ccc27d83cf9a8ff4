import { afterAll, beforeAll } from "vitest";
import { createTestStores, type TestStores } from "../store/postgres/testing/test-store.ts";
import { costScenarios } from "./testing/cost-scenarios.ts";
import { healScenarios } from "./testing/heal-scenarios.ts";
import { hostileScenarios } from "./testing/hostile-scenarios.ts";
import { pullScenarios } from "./testing/pull-scenarios.ts";
import { pushScenarios } from "./testing/push-scenarios.ts";
import { quotaScenarios } from "./testing/quota-scenarios.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(() => stores.drop());

pushScenarios("postgres", (clock) => stores.open(clock));
pullScenarios("postgres", (clock) => stores.open(clock));
healScenarios("postgres", (clock) => stores.open(clock));
quotaScenarios("postgres", (clock) => stores.open(clock));
hostileScenarios("postgres", (clock) => stores.open(clock));
costScenarios("postgres", (clock) => stores.open(clock));
