import type { KeyRing, SealCipher, Sha256 } from "@tidemark/protocol";
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
  /** What seals and opens in encrypted namespaces. */
  readonly cipher: SealCipher | undefined;
  /** Keys that are ready for use, by namespace, and of how many rows they were made. */
  readonly rings: Map<string, { readonly count: number; readonly ring: KeyRing }>;
  readonly identity: () => StoreIdentity | undefined;
}
