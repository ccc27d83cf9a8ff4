import type { DeviceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { serverLimits } from "../limits.ts";
import { createReadAhead } from "./read-ahead.ts";

const { deviceMax, bodiesMax } = serverLimits.readAhead;
const device = (number: number): DeviceId => `d${String(number)}` as DeviceId;

test("[PS34] a device has room for a few bodies at once, and for more once one has left", () => {
  const room = createReadAhead();
  const leave = Array.from({ length: deviceMax }, () => room.enter(device(1)));
  expect(leave).not.toContain(undefined);
  expect(room.enter(device(1))).toBeUndefined();
  expect(room.enter(device(2))).toBeDefined();
  leave[0]?.();
  expect(room.enter(device(1))).toBeDefined();
  expect(room.enter(device(1))).toBeUndefined();
});

test("[PS34] many devices have no more room together than there is", () => {
  const room = createReadAhead();
  const leave = Array.from({ length: bodiesMax }, (_, number) => room.enter(device(number)));
  expect(leave).not.toContain(undefined);
  expect(room.enter(device(bodiesMax))).toBeUndefined();
  for (const each of leave) each?.();
  const again = Array.from({ length: bodiesMax }, (_, number) => room.enter(device(number + 7)));
  expect(again).not.toContain(undefined);
});
