/** How much an embedder is given at once, and how long it may take; its time in all is a setting. */
export const embeddingLimits = {
  /** Texts of one run: a stop loses no more than these. */
  textsAtOnce: 32,
  /** Milliseconds that a search waits for its words' vector; then it goes by words alone. */
  queryMsMax: 5_000,
  /** Bytes of standard output: 32 vectors of 8,192 parts with 20 characters each. */
  outputBytesMax: 6_000_000,
} as const;
