import fc from "fast-check";
import { expect, test } from "vitest";
import { closenessTo, int8Of } from "./int8.ts";

const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: 64,
  maxLength: 64,
});

function exactCosine(left: readonly number[], right: readonly number[]): number {
  const product = left.reduce((sum, part, index) => sum + part * (right[index] ?? 0), 0);
  return product / (Math.hypot(...left) * Math.hypot(...right));
}

test("[RC30] a byte a dimension keeps the angle between two vectors", () => {
  fc.assert(
    fc.property(vector, vector, (left, right) => {
      const [one, other] = [int8Of(left), int8Of(right)];
      fc.pre(one !== undefined && other !== undefined);
      const cosine = closenessTo(one)(other) / Math.hypot(...one);
      expect(Math.abs(cosine - exactCosine(left, right))).toBeLessThan(0.03);
    }),
  );
});

test("[RC30] how long a vector is does not matter; one without a direction is none", () => {
  const one = int8Of([3, 4]);
  expect(one).toEqual(int8Of([3e-9, 4e-9]));
  expect(one).toEqual(int8Of([3e200, 4e200]));
  for (const none of [[], [0, 0], [1, Number.NaN], [1, Number.POSITIVE_INFINITY]]) {
    expect(int8Of(none)).toBeUndefined();
  }
});
