import type * as schema from "./schema.ts";

type Selected<Table extends { readonly $inferSelect: unknown }> = Table["$inferSelect"];

/** A row of `replicas`. */
export type ReplicaRow = Selected<typeof schema.replicas>;
/** A row of `records`. */
export type RecordRow = Selected<typeof schema.records>;
/** A row of `outbox`. */
export type OutboxRow = Selected<typeof schema.outbox>;
/** A row of `own_writes`. */
export type OwnWriteRow = Selected<typeof schema.ownWrites>;
/** A row of `past`. */
export type PastRow = Selected<typeof schema.past>;
/** A row of `writers`. */
export type WriterRow = Selected<typeof schema.writers>;
/** A row of `suspects`. */
export type SuspectRow = Selected<typeof schema.suspects>;
/** A row of `namespace_keys`. */
export type NamespaceKeyRow = Selected<typeof schema.namespaceKeys>;
/** A row of `namespace_logs`. */
export type NamespaceLogRow = Selected<typeof schema.namespaceLogs>;
/** A row of `agent_events`. */
export type AgentEventRow = Selected<typeof schema.agentEvents>;
