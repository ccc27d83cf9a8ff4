import type { Bindings } from "./bindings.ts";
import type { Changes } from "./local-store.ts";
import type { AgentReads } from "./reads/agent-reads.ts";
import type { SessionLog } from "./session-log.ts";
import type { Sync } from "./sqlite.ts";

/**
 * The part of a store that serves an agent while it works: it captures and recalls. A hook opens
 * this and no more, as every function that a program brings along costs its start.
 */
export interface AgentStore {
  readonly changes: Pick<Changes, "change">;
  readonly reads: AgentReads;
  readonly sessions: SessionLog;
  readonly bindings: Pick<Bindings, "namespaceOf" | "all">;
  /** Puts several calls into one commit: all of them or none (ST2). A promise does not compile. */
  transact<T>(work: () => Sync<T>): T;
  close(): void;
}
