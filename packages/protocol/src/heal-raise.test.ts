import fc from "fast-check";
import { expect, test } from "vitest";
import { healRaiseMax } from "./heal-raise.ts";
import { limits } from "./limits.ts";

const runs = { numRuns: 500, seed: 20261127 };

test("[CK6] a heal raises the lamport by 2^32, and less where lamports come to their end", () => {
  expect(healRaiseMax(0)).toBe(2 ** 32);
  expect(healRaiseMax(2 ** 52)).toBe(2 ** 32 - 1);
  expect(healRaiseMax(limits.lamportMax)).toBe(0);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: limits.lamportMax }), (lamport) => {
      const raised = lamport + healRaiseMax(lamport);
      expect(raised).toBeLessThanOrEqual(limits.lamportMax);
      expect(healRaiseMax(raised)).toBeLessThanOrEqual(healRaiseMax(lamport));
    }),
    runs,
  );
});

test("[CK6] five million heals that each raise it as far as they may leave 2^40 lamports and more", () => {
  let lamport = 2 ** 52;
  for (let heal = 0; heal < 5_000_000; heal += 1) lamport += healRaiseMax(lamport);
  expect(limits.lamportMax - lamport).toBeGreaterThan(2 ** 40);
});
