import type {
  DecodedState,
  Digest,
  ForkCause,
  NamespaceId,
  NamespaceKeys,
  Position,
  RecordId,
  Role,
  SetDigest,
  WriterId,
} from "@tidemark/protocol";
import type {
  DigestsAnswer,
  HealTail,
  NamespaceInfo,
  PullTail,
  PushAnswer,
  PushHeader,
  Suspect,
} from "@tidemark/protocol/wire";

/** This device's copy of one namespace, as the sync engine and `status` see it. */
export interface Replica {
  readonly namespace: NamespaceId;
  readonly name: string;
  readonly kind: "personal" | "team" | "local";
  /** Undefined until a server has said it. */
  readonly role: Role | undefined;
  /** `parked`: the server no longer lists it; nothing is dropped, nothing is sent. */
  readonly status: "active" | "unpaired" | "parked";
  readonly writer: WriterId | undefined;
  readonly cursor: string;
  /** The highest head that the server has told. */
  readonly head: number;
  /** Confirmed records: equal to the server's at the head, or a heal is due (HL1). */
  readonly confirmed: SetDigest;
  readonly lamport: number;
  /** Ops not yet acknowledged. */
  readonly unsent: number;
  /** Ops acknowledged but not yet seen in a verified pull. */
  readonly unverified: number;
  readonly rejected: number;
  readonly needsHeal: boolean;
  /** Why a heal is due, such as `digest` or `history`. */
  readonly healWhy: string | undefined;
  /** Whether the last pull reached the head with equal digests. */
  readonly verified: boolean;
  /** What a person should know, such as the last fork; one line. */
  readonly notice: string | undefined;
  readonly syncedAtMs: number | undefined;
}

/** What a replica knows of its namespace's keys and members. */
export interface Sealing {
  readonly namespace: NamespaceId;
  /** How far the log was read: it may not go back behind that. */
  readonly length: number;
  readonly head: string;
  readonly epoch: number;
  /** What the members call it; the server knows a label. */
  readonly name: string | undefined;
  /** Whether the key of this epoch is here. */
  readonly hasKey: boolean;
  readonly trouble: string | undefined;
}

/** A push that is about to be sent. */
export interface PushPlan {
  readonly header: PushHeader;
  /** Op lines exactly as they were stored (CH2); none where only the place is asked for (EE11). */
  readonly lines: readonly string[];
  readonly ackedAtRequest: number;
  /** Whether the outbox held more than these. */
  readonly hasMore: boolean;
}

/** How much a push may carry. */
export interface PushLimits {
  readonly ops: number;
  readonly bytes: number;
}

/** The ids of a bucket above one, up to another; undefined where there is no such end. */
export interface BucketPart {
  readonly after?: RecordId | undefined;
  readonly upTo?: RecordId | undefined;
}

/** A state as a heal delivers it. */
export interface HealLine {
  readonly id: RecordId;
  /** One line of NDJSON, without its line end. */
  readonly line: string;
}

/** A pull that is about to be sent. */
export interface PullPlan {
  readonly writer: WriterId | undefined;
  readonly after: string;
  readonly ackedAtRequest: number;
}

/** A page as it came; records already decoded, in seq order. */
export interface PulledPage {
  readonly records: readonly DecodedState[];
  readonly tail: PullTail;
}

/**
 * What taking an answer did. After a fork the store has minted a new writer and stamped unsent and
 * unverified ops again, in the same transaction, and nothing else of the answer was applied (CH3).
 */
export type Taken =
  | { readonly kind: "taken" }
  | { readonly kind: "fork"; readonly cause: ForkCause }
  | { readonly kind: "heal-due"; readonly why: string };

/** What taking the answer to a push did; see {@link Taken}. */
export type PushTaken =
  | Taken
  /** Taken, and verified: no pull has anything to add to it (PS32). */
  | { readonly kind: "advanced" }
  /** Taken; {@link ReplicaStore.advance} may verify it while the next push is under way. */
  | { readonly kind: "advancing" };

/** An op as a push named it: under another writer its number is another op's. */
export interface SentOp {
  readonly writer: WriterId;
  readonly n: number;
}

/** What taking a page did; see {@link Taken}. */
export type PageTaken =
  | Exclude<Taken, { readonly kind: "taken" }>
  /** `lacksKey`: values came with it that are sealed under a key which is not here (EE11). */
  | { readonly kind: "taken"; readonly lacksKey?: boolean }
  /** Not taken, for the replica moved on meanwhile, and what it tells of is still to be reached. */
  | { readonly kind: "overtaken" };

/** The side of the store that the sync engine drives. Every method is one IMMEDIATE transaction. */
export interface ReplicaStore {
  replicas(): readonly Replica[];
  replica(namespace: NamespaceId): Replica | undefined;
  /** The namespaces with ops that were not delivered: a look that costs little, however often. */
  waiting(): readonly NamespaceId[];
  /**
   * Takes what `hello` lists: new namespaces get an empty replica, the unpaired personal one takes
   * the server's id, missing ones are parked, returned ones are active again (NS10). In the same
   * step quarantines are what it tells of them; without `suspects` they stay as they are (QU4).
   */
  takeNamespaces(
    serverId: string,
    listed: readonly NamespaceInfo[],
    suspects?: readonly Suspect[],
  ): void;

  /**
   * New writers for all namespaces of the server, for a device that comes back under another key
   * (CH17): a server lets no device write under another's writer.
   */
  renewWriters(): void;

  /**
   * Undefined when nothing is to be sent. A plan that was made ahead is given back where it follows
   * what was acknowledged since.
   */
  planPush(namespace: NamespaceId, limits: PushLimits, ahead?: PushPlan): PushPlan | undefined;
  /** What a push would carry after this one, should it be taken whole. */
  planPushAfter(namespace: NamespaceId, plan: PushPlan, limits: PushLimits): PushPlan | undefined;
  takePushAnswer(namespace: NamespaceId, plan: PushPlan, answer: PushAnswer): PushTaken;
  /** Confirms the ops of an answered push without their echo (PS32); false: a pull has to. */
  advance(namespace: NamespaceId, plan: PushPlan, answer: PushAnswer): boolean;
  /** A `writer-position` problem: the push was not taken. */
  takePosition(
    namespace: NamespaceId,
    ackedAtRequest: number,
    position: Position,
    /** The writer that was asked for; where it is no longer this store's, the answer is ignored. */
    writer?: WriterId,
  ): Taken;
  /** Refuses an op that the server cannot even read, such as one that is too large for any push. */
  rejectOp(namespace: NamespaceId, op: SentOp, code: "too-large" | "invalid"): void;

  planPull(namespace: NamespaceId): PullPlan | undefined;
  /** Page and cursor in one transaction; digests compared where the page reached the head. */
  takePage(namespace: NamespaceId, plan: PullPlan, page: PulledPage): PageTaken;

  /** Makes a heal due, durably; cleared only by a finished one. */
  demandHeal(namespace: NamespaceId, why: string): void;
  bucketDigests(namespace: NamespaceId): readonly SetDigest[];
  /** Ids and digests of a part of a bucket, by id. */
  bucket(
    namespace: NamespaceId,
    bucket: number,
    part: BucketPart,
  ): readonly (readonly [RecordId, Digest])[];
  /** Confirmed states with past clocks, as a heal delivers them; ids that are unknown are left out. */
  healLines(namespace: NamespaceId, ids: readonly RecordId[]): readonly HealLine[];
  takeHealed(
    namespace: NamespaceId,
    /** `from`: the head of the digests that the heal began from (HL38). */
    answer: {
      readonly records: readonly DecodedState[];
      readonly tail: HealTail;
      readonly from: number;
    },
  ): void;
  /**
   * Ends a heal: the cursor falls to the head that the digests belonged to if that is lower, the
   * mark is the new one, and ops answered `unknown-record` are issued again under a new `n` (PS7).
   * What only this device has and may not deliver is told to the person (HL28).
   */
  finishHeal(namespace: NamespaceId, digests: DigestsAnswer, ahead?: number): void;
  /** What is known of an encrypted namespace's log; undefined where nothing is. */
  sealing(namespace: NamespaceId): Sealing | undefined;
  /**
   * Takes what a verified log and verified wraps gave: keys, name and how far the log was read. What
   * waited for a key is sealed, and what had not opened is shown (EE10). Takes nothing, and gives
   * false, where the log does not go on from what is known by now (EE6).
   */
  takeSealing(
    sealing: Omit<Sealing, "hasKey" | "trouble"> & { readonly entries: readonly string[] },
    keys?: NamespaceKeys,
  ): boolean;
  /** The entries of the log that was last believed, as they came. */
  seenLog(namespace: NamespaceId): readonly string[];
  /** Keeps why a server's word of the namespace is not believed: until that is over nothing is sent. */
  distrust(namespace: NamespaceId, trouble: string): void;
  /** The keys of a namespace that are here; undefined where there is none. */
  heldKeys(namespace: NamespaceId): NamespaceKeys | undefined;
  /**
   * Seals what was not acknowledged under the newest key, after the server refused it for its key
   * (EE11); gives whether any of it was under an older one.
   */
  resealRefused(namespace: NamespaceId): boolean;
  /** Repair of a damaged clock: unsent ops get lamports from the highest confirmed one on (CK4). */
  restampLamports(namespace: NamespaceId): void;
}
