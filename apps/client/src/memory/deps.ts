import type { Sha256 } from "@tidemark/protocol";
import type { AgentStore } from "../store/agent-store.ts";
import type { Store } from "../store/store.ts";
import type { Scrub } from "./scrub.ts";

/** What capture needs. */
export interface CaptureDeps {
  readonly store: Pick<AgentStore, "changes" | "reads" | "sessions" | "bindings" | "transact">;
  readonly scrub: Scrub;
  readonly sha256: Sha256;
}

/** What the verbs of memory need. `main` wires it. */
export interface MemoryDeps extends CaptureDeps {
  readonly store: Pick<Store, "changes" | "reads" | "sessions" | "bindings" | "transact">;
  readonly clock: { nowMs(): number };
  readonly random: { bytes(count: number): Uint8Array };
}
