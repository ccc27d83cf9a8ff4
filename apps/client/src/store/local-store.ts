import type { JsonValue, NamespaceId, RecordId, Result, WriterId } from "@tidemark/protocol";
import type { ScrubbedFields } from "./scrubbed-fields.ts";
import type { Observation } from "./observation.ts";

/** One change that a person or an agent makes; the store gives it lamport, base, `n` and chain. */
export type Change =
  | {
      readonly kind: "put";
      readonly id: RecordId;
      readonly collection: string;
      readonly parent?: RecordId;
      readonly fields: ScrubbedFields;
    }
  | { readonly kind: "set"; readonly id: RecordId; readonly fields: ScrubbedFields }
  | { readonly kind: "forget"; readonly id: RecordId };

/** Why a change was refused; nothing was written. */
export type ChangeError =
  | { readonly kind: "unknown-record"; readonly id: string }
  | { readonly kind: "forgotten"; readonly id: string }
  | { readonly kind: "immutable"; readonly id: string }
  | { readonly kind: "collection-mismatch"; readonly id: string }
  | { readonly kind: "below-a-child"; readonly id: string }
  | { readonly kind: "invalid-value"; readonly field: string; readonly why: string }
  | ({ readonly kind: "read-only" } & OutOfReach)
  | ({ readonly kind: "parked" } & OutOfReach)
  | { readonly kind: "closed"; readonly namespace: NamespaceId }
  | { readonly kind: "unknown-namespace"; readonly namespace: string }
  | { readonly kind: "too-large"; readonly bytes: number; readonly bytesMax: number };

/** Why a refused op is not mended; where it `waits`, all of it is written over by what is on its way. */
export type MendError = ChangeError | { readonly kind: "waits"; readonly id: string };

interface OutOfReach {
  readonly namespace: NamespaceId;
  /** The record that was to change; nothing where a new one was to be made. */
  readonly id?: RecordId;
}

/** What became of one change. `changed` is false where nothing differed, so no op was made. */
export interface Changed {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly changed: boolean;
  /** The namespace's lamport after the change. */
  readonly lamport: number;
}

/** The name of one op of the outbox. */
export interface OpName {
  readonly namespace: NamespaceId;
  readonly writer: WriterId;
  readonly n: number;
}

/** Other values for a change, or none where it is to stay as it is. */
export type Rewrite = (fields: ScrubbedFields) => ScrubbedFields | undefined;

/** The side of the store that `memory/` writes to. */
export interface Changes {
  /**
   * Makes changes in one transaction, all or none (OP11): lamport, op, `n`, running hash, view and
   * search index together.
   *
   * A `put` of a record that is there is a `set` of what differs, so capturing twice is harmless
   * (OP12). `atMs` is wall time, for show only.
   */
  change(
    namespace: NamespaceId,
    changes: readonly Change[],
    atMs: number,
  ): Result<readonly Changed[], ChangeError>;
  /** Issues a rejected op, with the ops that depend on it, as one new op (OP20). */
  retryRejected(op: OpName, atMs: number): Result<readonly Changed[], ChangeError>;
  /**
   * Issues a rejected op, with the ops that depend on it, with other values and otherwise as it was
   * (OP26). Where no value is another one then, nothing is done and it fails; with `waits` where the
   * next answer may change that.
   */
  mendRejected(op: OpName, rewrite: Rewrite): Result<void, MendError>;
  /** Gives a rejected op up, with the ops that depend on it, and how many went; 0 when there is none (OP21). */
  dropRejected(op: OpName): number;
}

/** Which observations a list or search wants. */
export interface ObservationFilter {
  readonly namespaces?: readonly NamespaceId[] | undefined;
  readonly project?: string | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly session?: string | undefined;
  /** None of these kinds, and nothing of this session. */
  readonly kindsNot?: readonly string[] | undefined;
  readonly sessionNot?: string | undefined;
  readonly ids?: readonly RecordId[] | undefined;
  readonly pinned?: boolean | undefined;
  /** Read or changed a file whose path has these words one after the other (RC21). */
  readonly file?: string | undefined;
  /** Written by a person or a device of this name, whatever its case; `me` is oneself (RC27). */
  readonly author?: string | undefined;
  /** Made at this wall time or later, in milliseconds. */
  readonly sinceMs?: number | undefined;
  /** Made before this wall time. */
  readonly beforeMs?: number | undefined;
  /** Archived and superseded ones too. */
  readonly includeHidden?: boolean | undefined;
  /** Newest first unless it says otherwise; a search orders by rank unless it says newest. */
  readonly order?: "newest" | "oldest" | undefined;
  /** Undefined: no limit. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Bytes of records that are read at most: the largest of those that are wanted are left out. */
  readonly bytesMax?: number | undefined;
}

/**
 * Matches of a search that are ranked, the newest of them: to rank a match takes a dozen times what it
 * takes to find it, and a word that so many have says little.
 */
export const rankedMax = 2_000;

/** An observation found by a search; `rank` is bm25, lower is better. */
export interface SearchHit {
  readonly observation: Observation;
  readonly rank: number;
}

/** Who wrote something, by name; null where this device was never told. */
export interface Author {
  readonly user: string | null;
  readonly device: string | null;
}

/** A kept losing value, as `conflicts` prints it. */
export interface ConflictView {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly record: RecordId;
  readonly field: string;
  readonly value: JsonValue;
  readonly lamport: number;
  readonly writer: WriterId;
  readonly author: Author;
  /** The value that won, as the view shows it; null when the record is gone. */
  readonly current: JsonValue;
  readonly at: number;
}

/** One value of a field over time, newest first. */
export interface HistoryEntry {
  readonly field: string;
  readonly value: JsonValue;
  readonly lamport: number;
  readonly writer: WriterId;
  readonly author: Author;
  readonly at: number;
  readonly state: "current" | "unsent" | "rejected" | "past" | "conflict";
}

/** An op that the server refused for good; it stays until a person retries or drops it. */
export interface RejectedOpView {
  readonly namespace: NamespaceId;
  readonly record: RecordId;
  readonly writer: WriterId;
  readonly n: number;
  readonly op: "put" | "set" | "forget";
  readonly code: string;
}

/** An op of the outbox, whatever it waits for. */
export interface WaitingOpView extends OpName {
  readonly record: RecordId;
  readonly op: "put" | "set" | "forget";
  /** `unverified`: sent, and not seen again in a verified pull. `rejected`: refused for good. */
  readonly state: "unsent" | "unverified" | "rejected";
  /** Why it was refused; null where it was not. */
  readonly code: string | null;
}
