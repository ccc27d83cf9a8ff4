import type {
  DecodedState,
  ErrorFamily,
  NamespaceId,
  Position,
  RecordId,
  Result,
  WriterId,
} from "@tidemark/protocol";
import type {
  BucketAnswer,
  DigestsAnswer,
  HealHeader,
  HealTail,
  Hello,
  Poke,
  PullTail,
  PushAnswer,
  PushHeader,
  RevisionsAnswer,
} from "@tidemark/protocol/wire";

/** A request that did not succeed. `family` says what to do, `code` what to tell. */
export interface Failure {
  readonly family: ErrorFamily;
  /** A code of the wire, or one of this side: `unreachable`, `garbled`, `http-418`, `defect`, … */
  readonly code: string;
  /** One sentence for people; nothing of a body or an address. */
  readonly title: string;
  readonly retryAfterMs?: number | undefined;
  /** Beside `writer-position`: where the server stands. */
  readonly position?: Position | undefined;
  /** Beside `key-copied`: the highest counter that the server has seen of this key. */
  readonly counter?: number | undefined;
}

/** What a request came to that its own side gave up. */
export const cancelled: Failure = {
  family: "retry",
  code: "cancelled",
  title: "The request was cancelled.",
};

/** What a request came to. Transports never throw for what a network or a server does. */
export type Answer<T> = Result<T, Failure>;

/** What a pull asks for. */
export interface PullRequest {
  readonly writer: WriterId | undefined;
  readonly after: string;
  /** About how many records are still to come, where it is asked for while another page is taken in. */
  readonly restAhead?: number | undefined;
}

/** A request's body as it goes out. */
export type PackedBody = Promise<Uint8Array<ArrayBuffer>>;

/** The body of a push: the header and op lines as the outbox holds them. */
export interface PushRequest {
  readonly header: PushHeader;
  readonly lines: readonly string[];
  /** The body, where it was packed before. */
  readonly packed?: PackedBody | undefined;
  /**
   * The end of the body leaves once this resolves; until then a server takes nothing of it. Only where
   * {@link Transport.canHoldEnds}.
   */
  readonly end?: Promise<void> | undefined;
  /** Told once the request is packed and signed, and goes to the network. */
  readonly onSent?: (() => void) | undefined;
}

/** A page: every line was read, or the whole page was refused. */
export interface PullAnswer {
  readonly records: readonly DecodedState[];
  readonly tail: PullTail;
}

/** Which part of a bucket's list is asked for: what stands above `after`, or its beginning. */
export interface BucketRequest {
  readonly bucket: number;
  readonly after: RecordId | undefined;
}

/** The body of one chunk of a heal. */
export interface HealRequest {
  readonly header: HealHeader;
  readonly lines: readonly string[];
}

/** The states that the server now has of every named record. */
export interface HealAnswer {
  readonly records: readonly DecodedState[];
  readonly tail: HealTail;
}

/** What a poke stream yields: `open` once, then pokes; a `closed` is the last. */
export type PokeEvent =
  | { readonly kind: "open" }
  | { readonly kind: "poke"; readonly poke: Poke }
  | { readonly kind: "closed"; readonly failure: Failure };

/** The server, as the sync engine sees it. Every call ends when its signal aborts. */
export interface Transport {
  hello(signal: AbortSignal): Promise<Answer<Hello>>;
  push(namespace: NamespaceId, push: PushRequest, signal: AbortSignal): Promise<Answer<PushAnswer>>;
  /** Whether the end of a push can wait while the rest of it travels. */
  readonly canHoldEnds?: boolean;
  /** Packs the body of a push before its turn; undefined where it goes out as it is. */
  packPush(push: PushRequest): PackedBody | undefined;
  pull(namespace: NamespaceId, pull: PullRequest, signal: AbortSignal): Promise<Answer<PullAnswer>>;
  digests(namespace: NamespaceId, signal: AbortSignal): Promise<Answer<DigestsAnswer>>;
  bucket(
    namespace: NamespaceId,
    bucket: BucketRequest,
    signal: AbortSignal,
  ): Promise<Answer<BucketAnswer>>;
  heal(namespace: NamespaceId, heal: HealRequest, signal: AbortSignal): Promise<Answer<HealAnswer>>;
  revisions(
    namespace: NamespaceId,
    record: RecordId,
    signal: AbortSignal,
  ): Promise<Answer<RevisionsAnswer>>;
  pokes(signal: AbortSignal): AsyncIterable<PokeEvent>;
}
