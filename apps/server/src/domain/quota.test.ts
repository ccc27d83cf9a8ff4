import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { hasRoom } from "./quota.ts";
import { quotaScenarios } from "./testing/quota-scenarios.ts";

quotaScenarios("memory", async (clock) => createMemoryStore({ clock }));

test("[QT1] where a quota was lowered below what is there, what adds no record still fits", () => {
  const quota = { recordsMax: 1, bytesMax: 1_000 };
  const used = { records: 2, bytes: 500 };
  expect(hasRoom(quota, used, { records: 0, bytes: 500 })).toBe(true);
  expect(hasRoom(quota, used, { records: 0, bytes: 501 })).toBe(false);
  expect(hasRoom(quota, used, { records: 1, bytes: 1 })).toBe(false);
  expect(hasRoom(quota, { records: 2, bytes: 2_000 }, { records: 0, bytes: 0 })).toBe(true);
});
