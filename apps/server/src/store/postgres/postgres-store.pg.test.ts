import { afterAll, beforeAll } from "vitest";
import { storeContract } from "../contract.ts";
import { createTestStores, type TestStores } from "./testing/test-store.ts";

let stores: TestStores;
beforeAll(async () => {
  stores = await createTestStores();
});
afterAll(() => stores.drop());

storeContract(
  "postgres",
  (clock) => stores.open(clock),
  (count) => stores.own(count),
);
