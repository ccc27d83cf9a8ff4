import { expect, test } from "vitest";
import { createSharedMemory } from "./shared-memory.ts";

test("[SC60] memory that was given back is used again where it is large enough", () => {
  const memory = createSharedMemory();
  const first = memory.take(100_000);
  expect(first.byteLength).toBeGreaterThanOrEqual(100_000);
  expect(memory.take(10)).not.toBe(first);
  memory.give(first);
  expect(memory.take(first.byteLength + 1)).not.toBe(first);
  expect(memory.take(100_000)).toBe(first);
});

test("[SC60] of two that were given back the larger is kept, and no very large one", () => {
  const memory = createSharedMemory();
  const [small, large, huge] = [100_000, 200_000, 64_000_000].map((bytes) => memory.take(bytes));
  for (const each of [small, large, small, huge]) if (each !== undefined) memory.give(each);
  expect(memory.take(1)).toBe(large);
});
