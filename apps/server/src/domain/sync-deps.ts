import type { NamespaceId, Sha256 } from "@tidemark/protocol";
import type { Store } from "../store/port.ts";
import type { Quota } from "./quota.ts";

/** What the rules of sync need from outside. */
export interface SyncDeps {
  readonly store: Store;
  readonly sha256: Sha256;
  /** Marks are made of it. */
  readonly random: { bytes(count: number): Uint8Array };
  readonly quota: Quota;
  /** Called after each commit that moved a head, for pokes. Must not throw. */
  readonly onHeadMoved: (namespace: NamespaceId, head: number) => void;
}
