import type { AgentStore } from "./agent-store.ts";
import type { Bindings } from "./bindings.ts";
import type { StoreIdentity } from "./context.ts";
import type { Changes } from "./local-store.ts";
import type { Reads } from "./reads/create-reads.ts";
import type { ReplicaStore } from "./replica-store.ts";
import type { Upkeep } from "./upkeep.ts";
import type { Vectors } from "./vectors/vectors.ts";

export type { Bindings } from "./bindings.ts";
export type { StoreIdentity } from "./context.ts";
export type { Changed, Changes, HistoryEntry } from "./local-store.ts";
export type { Reads } from "./reads/create-reads.ts";
export type { FindError } from "./reads/find.ts";
export type { Descendant, QuarantineView } from "./reads/quarantines.ts";
export type { RecordView } from "./reads/record-view.ts";
export type { ReplicaStore } from "./replica-store.ts";
export type { ScrubbedFields } from "./scrubbed-fields.ts";
export type { Upkeep } from "./upkeep.ts";

/** The database of one device. All calls are synchronous; a broken machine is thrown (`attempt`). */
export interface Store extends AgentStore {
  readonly path: string;
  readonly changes: Changes;
  readonly reads: Reads;
  readonly bindings: Bindings;
  readonly replicas: ReplicaStore;
  readonly upkeep: Upkeep;
  readonly vectors: Vectors;
  /** Names this device and its person anew, as pairing does. */
  setIdentity(identity: StoreIdentity): void;
}
