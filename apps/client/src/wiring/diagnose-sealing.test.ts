import { expect, test } from "vitest";
import { checkSealing } from "./diagnose-sealing.ts";
import type { Memory } from "./memory.ts";

test.each([
  [1, "of 3 not here: 2; values in 1 record stay sealed"],
  [2, "of 3 not here: 2; values in 2 records stay sealed"],
])("[CL70] values in %i closed records are counted in words", (count, message) => {
  const memory = {
    store: {
      replicas: {
        replicas: () => [{ namespace: "nse_1", name: "harbour", status: "active" }],
        sealing: () => ({ hasKey: true, epoch: 3 }),
      },
      reads: { closedRecords: () => ({ missing: [2], count }) },
    },
  } as unknown as Memory;
  expect(checkSealing(memory)).toMatchObject([{ status: "WARN", message }]);
});
