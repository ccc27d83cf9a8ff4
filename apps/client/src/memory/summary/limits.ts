/** How much goes to a summariser and comes back (SM3, SM6); time and runs a day are settings. */
export const summaryLimits = {
  /** Characters handed over. */
  handedCharsMax: 24_000,
  /** Characters of one observation's narrative that are handed over. */
  narrativeCharsMax: 1_500,
  /** Facts and files of one observation that are handed over, each. */
  membersMax: 12,
  /** Bytes of standard output: a program that writes more is ended. */
  outputBytesMax: 262_144,
  /** Characters of an answer that are kept. */
  keptCharsMax: 4_000,
  /** Characters of an answer's first line that may be its title. */
  titleCharsMax: 140,
  /** Observations below which a session is not worth a run that nobody asked for. */
  observationsMin: 2,
  /** Days for which it is kept what the summariser cost. */
  accountDaysMax: 30,
  /** Sessions whose runs failed that are remembered. */
  triedMax: 200,
} as const;
