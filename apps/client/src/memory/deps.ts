import type { Sha256 } from "@tidemark/protocol";
import type { Store } from "../store/store.ts";
import type { Scrub } from "./scrub.ts";

/** What the verbs of memory need. `main` wires it. */
export interface MemoryDeps {
  readonly store: Pick<Store, "changes" | "reads" | "sessions" | "bindings" | "transact">;
  readonly scrub: Scrub;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
  readonly sha256: Sha256;
}
