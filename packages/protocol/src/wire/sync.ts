import { z } from "zod";
import { bucketCount, type Digest } from "../digest.ts";
import type { RejectCode } from "../errors.ts";
import type { DeviceId, NamespaceId, RecordId, UserId, WriterId } from "../ids.ts";
import { limits } from "../limits.ts";
import type { OpResult } from "../op-result.ts";
import type { Position } from "../position.ts";
import {
  deviceIdSchema,
  namespaceIdSchema,
  recordIdSchema,
  userIdSchema,
  writerIdSchema,
} from "./ids.ts";
import { chainSchema, countSchema, digestSchema } from "./scalars.ts";

/** First line of a push; the op lines follow. `after` is the last `n` the client knows as acked. */
export interface PushHeader {
  readonly writer: WriterId;
  readonly after: number;
  /** The running hash at `after`. */
  readonly chain: string;
  /** The epoch under which values are sealed; for encrypted namespaces alone. */
  readonly epoch?: number | undefined;
  /** Hash of the entry of the log by which that epoch began; none for the first (EE31). */
  readonly epochEntry?: string | undefined;
}

/** See {@link PushHeader}. */
export const pushHeaderSchema: z.ZodType<PushHeader> = z.object({
  writer: writerIdSchema,
  after: countSchema,
  chain: chainSchema,
  epoch: countSchema.optional(),
  epochEntry: chainSchema.optional(),
});

/** A word of the wire that may belong to a later version. */
const wordSchema = z.string().min(1).max(limits.idMax);

/**
 * See `OpResult`. A result of a later version is read as a refusal of that name (WR38): its op is
 * consumed, and what it did is unknown, so it stays in sight of a person instead of vanishing, and
 * the answer's other results are taken.
 */
export const opResultSchema: z.ZodType<OpResult> = z.union([
  z.object({
    n: countSchema,
    result: z.enum(["conflict", "forgotten", "unknown-record"]),
  }),
  z.object({ n: countSchema, result: z.literal("rejected"), code: wordSchema }),
  z
    .object({ n: countSchema, result: wordSchema.refine((word) => word !== "rejected") })
    .transform(({ n, result }) => ({ n, result: "rejected" as const, code: result })),
]);

/** See `Position`. Also the extension members of a `writer-position` problem. */
export const positionSchema: z.ZodType<Position> = z.object({
  acked: countSchema,
  chain: chainSchema,
  since: countSchema,
  results: z.array(opResultSchema).max(limits.pushOpsMax),
});

/** Where a namespace stands: every push, pull and heal answer says it. */
export interface HeadInfo {
  readonly head: number;
  readonly mark: string;
  readonly lamport: number;
}

/**
 * What a namespace became by one push and nothing else (PS12). A replica that stood at `from` and
 * comes to the same set by its own ops has seen what a pull would have shown it.
 */
export interface Advance {
  readonly from: number;
  /** The cursor of a replica that holds everything up to the answer's head. */
  readonly cursor: string;
  readonly digest: Digest;
  readonly count: number;
}

/** Answer to a push. `results` names every op that was not plainly applied. */
export interface PushAnswer extends HeadInfo {
  readonly position: Position;
  readonly results: readonly OpResult[];
  /** Left out where other pushes or results had a part in it, and by servers before it was told. */
  readonly advance?: Advance | undefined;
}

const headShape = { head: countSchema, mark: z.string().max(limits.idMax), lamport: countSchema };

const advanceSchema: z.ZodType<Advance> = z.object({
  from: countSchema,
  cursor: z.string().max(512),
  digest: digestSchema,
  count: countSchema,
});

/** See {@link PushAnswer}. */
export const pushAnswerSchema: z.ZodType<PushAnswer> = z.object({
  ...headShape,
  position: positionSchema,
  results: z.array(opResultSchema).max(limits.pushOpsMax),
  advance: advanceSchema.optional(),
});

/** Who stands behind a writer that a page mentions. */
export interface WriterInfo {
  readonly writer: WriterId;
  readonly device: DeviceId;
  readonly deviceName: string;
  readonly user: UserId;
  readonly userName: string;
  /** A machine for one namespace, such as a CI job's (PR8): nobody read what it wrote. */
  readonly machine?: boolean | undefined;
  /**
   * When its person became a member, on the server's clock in milliseconds; absent where they were
   * one within the namespace's first day, or are none any more (NS26).
   */
  readonly joinedAt?: number | undefined;
}

const writerInfoSchema: z.ZodType<WriterInfo> = z.object({
  writer: writerIdSchema,
  device: deviceIdSchema,
  deviceName: z.string(),
  user: userIdSchema,
  userName: z.string(),
  machine: z.boolean().optional(),
  joinedAt: countSchema.optional(),
});

/**
 * Last line of a pull; the records, `{seq, …compact state}` each, stand before it. All of it comes
 * from one snapshot of the database.
 */
export interface PullTail extends HeadInfo {
  readonly cursor: string;
  /** Whether records above the cursor are left. */
  readonly more: boolean;
  readonly digest: Digest;
  readonly count: number;
  /** The asking writer's position; null where the server does not know the writer. */
  readonly position: Position | null;
  readonly writers: readonly WriterInfo[];
}

/** See {@link PullTail}. */
export const pullTailSchema: z.ZodType<PullTail> = z.object({
  ...headShape,
  cursor: z.string().max(512),
  more: z.boolean(),
  digest: digestSchema,
  count: countSchema,
  position: positionSchema.nullable(),
  writers: z.array(writerInfoSchema),
});

/** Answer to `GET …/digests`: one entry a bucket, digest and count. */
export interface DigestsAnswer extends HeadInfo {
  /**
   * The cursor of a replica that has exchanged every difference with this answer: its head, and the
   * mark that goes with it. A finished heal goes on from here (HL6).
   */
  readonly cursor: string;
  readonly digest: Digest;
  readonly count: number;
  readonly buckets: readonly (readonly [digest: Digest, count: number])[];
}

/** See {@link DigestsAnswer}. */
export const digestsAnswerSchema: z.ZodType<DigestsAnswer> = z.object({
  ...headShape,
  cursor: z.string().max(512),
  digest: digestSchema,
  count: countSchema,
  buckets: z.array(z.tuple([digestSchema, countSchema])).length(bucketCount),
});

/** Answer to `GET …/digests?bucket=b`: the digest of every record in it, or of a page of them. */
export interface BucketAnswer {
  /** By id. */
  readonly records: readonly (readonly [id: RecordId, digest: Digest])[];
  /**
   * There are records above these (HL40). Left out where no page was asked for; a server of before
   * gave all, and did not say so.
   */
  readonly more?: boolean | undefined;
}

/** See {@link BucketAnswer}. */
export const bucketAnswerSchema: z.ZodType<BucketAnswer> = z.object({
  records: z.array(z.tuple([z.custom<RecordId>((id) => typeof id === "string"), digestSchema])),
  more: z.boolean().optional(),
});

/**
 * First line of a heal; lines of `{…compact state, past?, author?}` follow, each a state that the
 * server lacks or holds differently. `want` names records whose states the client lacks.
 */
export interface HealHeader {
  /** The delivering writer, where the device has one. */
  readonly writer?: WriterId | undefined;
  /** The client's lamport; may raise the namespace's by at most `limits.healLamportRaiseMax`. */
  readonly lamport: number;
  readonly want: readonly RecordId[];
}

/** See {@link HealHeader}. */
export const healHeaderSchema: z.ZodType<HealHeader> = z.object({
  writer: writerIdSchema.optional(),
  lamport: countSchema,
  want: z.array(recordIdSchema).max(limits.healRecordsMax),
});

/**
 * Last line of a heal's answer; the states of all named records stand before it, each with its
 * seq. `refused` names states that a push would have refused too (role, size, quota, shape).
 */
export interface HealTail extends HeadInfo {
  readonly digest: Digest;
  readonly count: number;
  readonly refused: readonly {
    readonly id: RecordId;
    readonly code: RejectCode | (string & {});
  }[];
  /** Who stands behind the writers that the states name; left out by servers before it was told. */
  readonly writers?: readonly WriterInfo[] | undefined;
}

/** See {@link HealTail}. */
export const healTailSchema: z.ZodType<HealTail> = z.object({
  ...headShape,
  digest: digestSchema,
  count: countSchema,
  refused: z.array(
    z.object({
      id: z.custom<RecordId>((id) => typeof id === "string"),
      code: wordSchema,
    }),
  ),
  writers: z.array(writerInfoSchema).optional(),
});

/** One event of `GET /v1/pokes`: a hint that a head moved. It carries no content. */
export interface Poke {
  readonly namespace: NamespaceId;
  readonly head: number;
}

/** See {@link Poke}. */
export const pokeSchema: z.ZodType<Poke> = z.object({
  namespace: namespaceIdSchema,
  head: countSchema,
});

/** One value that a field once had, from `GET …/records/{id}/revisions`. */
export interface Revision {
  readonly field: string;
  readonly value: unknown;
  readonly lamport: number;
  readonly writer: WriterId;
  readonly at: number;
  /** The clock that replaced it. */
  readonly replacedBy: { readonly lamport: number; readonly writer: WriterId };
}

/** Answer to `GET …/records/{id}/revisions`. */
export interface RevisionsAnswer {
  /** The newest, newest first (WR41). */
  readonly revisions: readonly Revision[];
  readonly writers: readonly WriterInfo[];
  /** There are older ones. A server of before gave all, and did not say so. */
  readonly more?: boolean | undefined;
}

/** See {@link RevisionsAnswer}. */
export const revisionsAnswerSchema: z.ZodType<RevisionsAnswer> = z.object({
  revisions: z.array(
    z.object({
      field: z.string(),
      value: z.unknown(),
      lamport: countSchema,
      writer: writerIdSchema,
      at: countSchema,
      replacedBy: z.object({ lamport: countSchema, writer: writerIdSchema }),
    }),
  ),
  writers: z.array(writerInfoSchema),
  more: z.boolean().optional(),
});
