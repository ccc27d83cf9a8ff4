import type { Sha256 } from "@tidemark/protocol";
import type { Database } from "./sqlite.ts";

/** Who this device is, for the authors of its own records and for trust. */
export interface StoreIdentity {
  readonly device: { readonly id: string; readonly name: string };
  /** Undefined until the device is paired. */
  readonly user?: { readonly id: string; readonly name: string } | undefined;
}

/** What the parts of the store share. */
export interface StoreContext {
  readonly db: Database;
  readonly sha256: Sha256;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
  readonly identity: () => StoreIdentity | undefined;
}
