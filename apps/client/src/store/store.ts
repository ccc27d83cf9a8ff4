import type { Bindings } from "./bindings.ts";
import type { StoreIdentity } from "./context.ts";
import type { Changes } from "./local-store.ts";
import type { Reads } from "./reads/create-reads.ts";
import type { ReplicaStore } from "./replica-store.ts";
import type { SessionLog } from "./session-log.ts";
import type { Sync } from "./sqlite.ts";
import type { Upkeep } from "./upkeep.ts";

export type { Bindings } from "./bindings.ts";
export type { StoreIdentity } from "./context.ts";
export type { Changed, Changes, HistoryEntry } from "./local-store.ts";
export type { Reads } from "./reads/create-reads.ts";
export type { FindError } from "./reads/find.ts";
export type { RecordView } from "./reads/record-view.ts";
export type { ReplicaStore } from "./replica-store.ts";
export type { ScrubbedFields } from "./scrubbed-fields.ts";
export type { SessionLog } from "./session-log.ts";
export type { Sync } from "./sqlite.ts";
export type { Upkeep } from "./upkeep.ts";

/** The database of one device. All calls are synchronous; a broken machine is thrown (`attempt`). */
export interface Store {
  readonly path: string;
  readonly changes: Changes;
  readonly reads: Reads;
  readonly sessions: SessionLog;
  readonly bindings: Bindings;
  readonly replicas: ReplicaStore;
  readonly upkeep: Upkeep;
  /** Puts several calls into one commit: all of them or none (ST2). A promise does not compile. */
  transact<T>(work: () => Sync<T>): T;
  /** Names this device and its person anew, as pairing does. */
  setIdentity(identity: StoreIdentity): void;
  close(): void;
}
