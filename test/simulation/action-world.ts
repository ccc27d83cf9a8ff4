import { unpairedNamespace, type NamespaceId } from "../../packages/protocol/src/index.ts";
import type { Extras } from "./extras.ts";
import type { Oracle } from "./oracle.ts";
import type { SimHandle } from "./sim-handle.ts";
import type { SimDevice } from "./sim-device.ts";
import type { Run } from "./world-state.ts";

/** What actions need to know of the world. */
export interface ActionWorld {
  readonly run: Run;
  readonly extras: Extras;
  readonly oracle: Oracle;
  /** A small number for a namespace, for its words. */
  readonly numberOf: (namespace: string) => number;
  /** The personal namespace of a device's person. */
  readonly personalOf: (device: SimDevice) => NamespaceId;
  /** The server's digest at a head of its present history, where it is known. */
  readonly digestAt: (namespace: string, head: number) => string | undefined;
}

/** Who does something, and where. */
export interface Doing {
  readonly device: SimDevice;
  readonly handle: SimHandle;
  readonly namespace: NamespaceId;
}

/** The name that the oracle has for a namespace: before pairing it is the personal one to be. */
export function truthName(world: ActionWorld, { device, namespace }: Doing): NamespaceId {
  return namespace === unpairedNamespace ? world.personalOf(device) : namespace;
}
