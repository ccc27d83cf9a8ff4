import { expect, test } from "vitest";
import { compareClocks, isLamport, lamportBound } from "./clock.ts";
import type { WriterId } from "./ids.ts";
import { limits } from "./limits.ts";
import { highestLamport, oldestRegister } from "./record.ts";
import { isAtLeast, roles } from "./roles.ts";
import { testRecord, testTombstone } from "./testing/records.ts";

test("[CK1] lamport first, then the bytes of the writer id", () => {
  const clock = (lamport: number, writer: string) => ({ lamport, writer: writer as WriterId });
  expect(compareClocks(clock(2, "a"), clock(1, "z"))).toBeGreaterThan(0);
  expect(compareClocks(clock(2, "a"), clock(2, "b"))).toBeLessThan(0);
  expect(compareClocks(clock(2, "Z"), clock(2, "a"))).toBeLessThan(0);
  expect(compareClocks(clock(2, "a"), clock(2, "a"))).toBe(0);
});

test("[CK2] lamports are safe integers from 1 on", () => {
  expect([1, 2 ** 53 - 1].every(isLamport)).toBe(true);
  expect([0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY].some(isLamport)).toBe(false);
  expect([limits.lamportMax, limits.lamportMax + 1].map(isLamport)).toEqual([true, false]);
});

test("[CK3] the bound leaves an honest writer exactly its own ticks", () => {
  expect(lamportBound(20, 7, 4)).toBe(23);
});

test("[CK1] the oldest register names the author, the newest lamport the height", () => {
  const record = testRecord({ title: ["t", 7, "b"], kind: ["note", 3, "a"] });
  expect(oldestRegister(record.registers)?.clock).toEqual({ lamport: 3, writer: "a" });
  expect(highestLamport(record)).toBe(7);
  expect(highestLamport(testTombstone())).toBe(0);
  expect(highestLamport(testRecord({}))).toBe(0);
  expect(oldestRegister({})).toBeUndefined();
});

test("[NS1] roles are ordered", () => {
  expect(roles).toEqual(["reader", "writer", "admin", "owner"]);
  for (const [strength, role] of roles.entries()) {
    for (const [needed, other] of roles.entries()) {
      expect(isAtLeast(role, other), `${role} as ${other}`).toBe(strength >= needed);
    }
  }
});

test("[CK1] of registers under one clock the earlier wall time is the older", () => {
  const { title } = testRecord({ title: ["t", 3, "a"] }).registers;
  if (title === undefined) throw new Error("the record has a title");
  const early = { ...title, at: 4 };
  const late = { ...title, at: 5 };
  expect(oldestRegister({ a: late, b: early })).toBe(early);
  expect(oldestRegister({ a: early, b: late })).toBe(early);
});
