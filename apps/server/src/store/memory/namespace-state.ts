import {
  emptyDigest,
  type DeviceId,
  type Digest,
  type NamespaceId,
  type RecordId,
  type Role,
  type UserId,
  type WriterId,
} from "@tidemark/protocol";
import type { KeyWrap } from "@tidemark/protocol/wire";
import type { Head, LogRow, RevisionRow, WriterRow } from "../port.ts";
import type { StoredForm } from "../stored-form.ts";

/** A row of `records`. */
export interface RecordRow {
  readonly seq: number;
  readonly form: StoredForm;
  readonly bucket: number;
  readonly digest: Digest;
  readonly bytes: number;
  readonly via: WriterId | undefined;
  readonly author: UserId | undefined;
}

/** A row of `marks`. */
export interface MarkRow {
  readonly mark: string;
  readonly createdAtMs: number;
}

/** A row of `waiting_members`. */
export interface WaitingRow {
  readonly role: Role;
  readonly invitedBy: UserId;
  readonly madeFor: string | undefined;
  readonly device: DeviceId;
  readonly network: string | undefined;
  readonly sinceMs: number;
}

/** A row of `suspects`. */
export interface SuspectRow {
  readonly aboveSeq: number;
  readonly sinceMs: number;
  readonly setBy: UserId;
}

/** One namespace, with an index by seq that iterates in seq order. */
export interface NamespaceState {
  readonly id: NamespaceId;
  readonly name: string;
  readonly kind: "personal" | "team";
  head: Head;
  readonly records: Map<RecordId, RecordRow>;
  readonly idBySeq: Map<number, RecordId>;
  readonly childrenByParent: Map<RecordId, Set<RecordId>>;
  readonly marks: Map<number, MarkRow>;
  readonly writers: Map<WriterId, WriterRow>;
  /** What each writer has had stored, and on which day since 1970. */
  readonly takenByWriter: Map<WriterId, { readonly day: number; readonly taken: number }>;
  readonly revisions: Map<string, { readonly row: RevisionRow; readonly createdAtMs: number }>;
  readonly madeAtMs: number;
  readonly members: Map<UserId, Role>;
  /** When each became a member; kept while a namespace is deleted. */
  readonly joinedAtMs: Map<UserId, number>;
  /** Rows of `waiting_members`: no right comes from one. */
  readonly waiting: Map<UserId, WaitingRow>;
  /** Rows of `suspects`, by the device that wrote. */
  readonly suspects: Map<DeviceId, SuspectRow>;
  /** Rows of `membership_log` and `key_wraps`; both empty where it is not encrypted. */
  log: readonly LogRow[];
  wraps: readonly KeyWrap[];
  /** When it was deleted and who was a member then; see `former_members`. */
  deleted?: { readonly atMs: number; readonly members: ReadonlyMap<UserId, Role> } | undefined;
}

/** An empty namespace with its first mark (MK1). */
export function emptyNamespace(
  place: { readonly id: NamespaceId; readonly name: string; readonly kind: "personal" | "team" },
  mark: string,
  nowMs: number,
): NamespaceState {
  return {
    ...place,
    head: {
      head: 0,
      mark,
      lamport: 0,
      digest: emptyDigest,
      count: 0,
      liveCount: 0,
      liveBytes: 0,
    },
    records: new Map(),
    idBySeq: new Map(),
    childrenByParent: new Map(),
    marks: new Map([[0, { mark, createdAtMs: nowMs }]]),
    writers: new Map(),
    takenByWriter: new Map(),
    revisions: new Map(),
    madeAtMs: nowMs,
    members: new Map(),
    joinedAtMs: new Map(),
    waiting: new Map(),
    suspects: new Map(),
    log: [],
    wraps: [],
  };
}

/** Makes somebody a member, or gives a member another role. */
export function saveMember(
  namespace: NamespaceState,
  user: UserId,
  { role, nowMs }: { readonly role: Role; readonly nowMs: number },
): void {
  if (!namespace.members.has(user)) namespace.joinedAtMs.set(user, nowMs);
  namespace.members.set(user, role);
}
