import fc from "fast-check";
import { expect, test } from "vitest";
import { opLine } from "./op.ts";
import { decodeOp } from "./decode.ts";
import { anyOp } from "./testing/arbitraries.ts";

test("[OP1] an op has one line, whatever order its members were written in", () => {
  fc.assert(
    fc.property(anyOp, (op) => {
      const line = opLine(op);
      const shuffled = Object.fromEntries(Object.entries(op).toReversed()) as unknown as typeof op;
      expect(opLine(shuffled)).toBe(line);
      const decoded = decodeOp(line, 1);
      expect(decoded.ok && opLine(decoded.value)).toBe(line);
      expect(line).not.toContain("\n");
    }),
    { numRuns: 500, seed: 20261121 },
  );
});
