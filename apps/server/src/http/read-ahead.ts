import type { DeviceId } from "@tidemark/protocol";
import { serverLimits } from "../limits.ts";

/** Room for bodies that are read while they come. */
export interface ReadAhead {
  /** Gives a way to leave, once; undefined where there is no room. */
  enter(device: DeviceId): (() => void) | undefined;
}

const { deviceMax, bodiesMax } = serverLimits.readAhead;

/**
 * Makes room for few bodies. What is read of one takes many times its packed bytes, and whoever sends
 * it may keep its end back: without room it is read once all of it is there (PS34).
 */
export function createReadAhead(): ReadAhead {
  const countByDevice = new Map<DeviceId, number>();
  let count = 0;
  return {
    enter: (device) => {
      const own = countByDevice.get(device) ?? 0;
      if (own >= deviceMax || count >= bodiesMax) return undefined;
      count += 1;
      countByDevice.set(device, own + 1);
      return () => {
        count -= 1;
        const left = (countByDevice.get(device) ?? 1) - 1;
        if (left > 0) countByDevice.set(device, left);
        else countByDevice.delete(device);
      };
    },
  };
}
