/**
 * Every limit and delay of the sync engine, in one place. Times are milliseconds, bytes are UTF-8
 * bytes. Where a delay is drawn, the draw is uniform between the two ends.
 */
export const syncLimits = {
  /** First step of the exponential backoff. */
  backoffBaseMs: 1_000,
  /** Longest backoff of our own choosing; a server may ask for more. */
  backoffCapMs: 300_000,
  /** Success must last this long before the backoff starts again from its base. */
  backoffResetMs: 60_000,
  /** Longest `Retry-After` that is believed: beyond it a misconfigured proxy would stop a device for days. */
  retryAfterMsMax: 3_600_000,
  /** Extra delay, 0 to this, before the first reconnect after a lost connection: devices must not return as one. */
  reconnectSpreadMs: 60_000,
  /** A local change soon after a push waits from this … */
  pushGatherMsMin: 500,
  /** … to this long, so that changes of one moment travel together. */
  pushGatherMsMax: 2_000,
  /** Poll without a poke stream, plus or minus half. */
  pollMs: 60_000,
  /** Poll beside a healthy poke stream, plus or minus half: a poke may be lost. */
  pollWithStreamMs: 300_000,
  /** Wait after an answer that repeating at once cannot change, plus or minus half. */
  longDelayMs: 300_000,
  /** Heals in a row without equal digests before a person is asked to look. */
  healsMax: 3,
  /** Wait before another heal once a person was asked to look, plus or minus half. */
  healRestMs: 3_600_000,
  /** How often `hello` is asked again, plus or minus half. */
  helloMs: 300_000,
  /** The same for minutes after a pairing by a link, while the two devices look for each other (EE21). */
  expectingMs: 10_000,
  /** Pairing links that live longer vouch for nobody: a secret that lies about is no word of a person's. */
  vouchingLifeMs: 3_600_000,
  /** No two `hello` closer than this. */
  helloGapMs: 5_000,
  /** How often a long-running engine looks for changes that other processes made. */
  outboxPollMs: 2_000,
  /** Poke streams that close quicker than this count as quick closes. */
  streamQuickMs: 45_000,
  /** Quick closes in a row before the stream is left alone for a while: some proxies buffer. */
  streamQuickClosesMax: 3,
  /** How long the stream is then left alone. */
  streamRestMs: 600_000,
  /** Silence after which a poke stream is dead; the server pings every 20 s. */
  streamSilenceMsMax: 45_000,
  /** Failures in a row after which a one-shot sync gives up. */
  onceFailuresMax: 4,
  /** Longest wait that a one-shot sync sits out. */
  onceWaitMsMax: 30_000,
  /** Longest one-shot sync, unless its caller says otherwise. */
  onceMsMax: 600_000,
  /**
   * Pushes, pulls and heals under way at once, of all namespaces together: eight of them both ways. A
   * device may have thousands, and each answer takes memory.
   */
  exchangesMax: 16,
  /** Rounds of a one-shot sync: each takes along what was captured during the one before. */
  onceRoundsMax: 3,
  /** Silence in the middle of a request or answer after which it is given up. */
  requestSilenceMsMax: 60_000,
  /** Longest request in all. */
  requestMsMax: 300_000,
  /** Bytes of a page: the four megabytes that it aims at, a record beyond them, and its last line. */
  pageAnswerBytesMax: 12_582_912,
  /** Bytes of a heal's answer: as many records, 16 megabytes of values that lost, and its last line. */
  healAnswerBytesMax: 33_554_432,
  /**
   * Bytes of one line of an answer that carries records. A record has a megabyte and its ids
   * (`recordBytesMax`); the last line names the writers of a page, and this has room for ten thousand.
   */
  lineBytesMax: 4_194_304,
  /** Lines of such an answer: 500 records of a heal, 10,000 values that lost in it, and the last one. */
  linesMax: 16_384,
  /** JSON up to this many characters is read as it is: however deep it is, it takes a few megabytes. */
  anyDepthCharsMax: 65_536,
  /** Levels of longer JSON: a field's value has 8, and stands at most six deep in an answer. */
  jsonDepthMax: 32,
  /** Bytes of any other answer. */
  answerBytesMax: 4_194_304,
  /** Bytes of a poke stream without one whole event: more is no poke. */
  pokeBytesMax: 65_536,
  /** Bytes of a poke stream, two hundred pokes and more, after which it rests for a moment … */
  pokeBytesAtOnce: 16_384,
  /** … of this length: only a flood has something to say meanwhile. */
  pokeRestMs: 250,
  /** Bodies from this size on are compressed. */
  gzipBytesMin: 1_024,
  /** What the request for the next page gets to leave before the page at hand is taken in. */
  aheadLeaveMs: 2,
  /**
   * How long the end of a push waits for the answer to the push before it. A server waits 30 seconds
   * for a body, so a push that shares a slow way with the next one loses no more than half of this …
   */
  aheadHoldMsMax: 5_000,
  /** … and so many pushes then have the way to themselves. */
  aheadRestPushes: 32,
  /**
   * How long a poke that comes during a push waits for the answer that may have caused it, and one that
   * comes soon after another of its namespace for those that follow.
   */
  ownPokeMs: 20,
  /** An access token is renewed this long before it expires. */
  tokenSlackMs: 60_000,
  /** Records that one heal request names; fewer than it may, so that its answer stays small too. */
  healRecordsAim: 200,
  /** Bytes of states in one heal request; a single larger state still goes alone. */
  healBytesAim: 1_048_576,
  /** Bytes that the header line of a push may take from the push's limit. */
  headerBytesMax: 512,
} as const;
