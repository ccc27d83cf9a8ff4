import type { DeviceId, JsonObject, NamespaceId, Sha256 } from "@tidemark/protocol";
import type { Store } from "../store/port.ts";
import type { Quota } from "./quota.ts";

/** See {@link SyncDeps.holdsSecret}. */
export type HoldsSecret = (line: string, op: { readonly fields: JsonObject }) => boolean;

/** An op whose row the database refuses, without anything that it holds. */
export interface RefusedRow {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly n: number;
  readonly sqlState: string;
}

/** What the rules of sync need from outside. */
export interface SyncDeps {
  readonly store: Store;
  readonly sha256: Sha256;
  /** Marks are made of it. */
  readonly random: { bytes(count: number): Uint8Array };
  readonly quota: Quota;
  /**
   * Whether an op holds a secret, given its line too (SC60). Devices scrub before they store; this is
   * the second line. Most ops need no parsing otherwise, so their fields are asked for only where
   * the line does not tell. Absent where the server is not to look.
   */
  readonly holdsSecret?: HoldsSecret | undefined;
  /** Called for each op whose row the database refuses (PS13). Must not throw. */
  readonly onRowRefused?: ((refused: RefusedRow) => void) | undefined;
  /** Called after each commit that moved a head, for pokes. Must not throw. */
  readonly onHeadMoved: (namespace: NamespaceId, head: number) => void;
}
