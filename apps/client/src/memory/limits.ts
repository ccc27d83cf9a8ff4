/**
 * How large the parts of an observation may be (CN10). Bytes are UTF-8, characters are UTF-16 code
 * units. Numbers come from the input rules of the security study; together they keep a full
 * observation under the size of one op for all but the strangest text.
 */
export const memoryLimits = {
  /** Characters of a title. */
  titleCharsMax: 300,
  /** Bytes of a narrative. */
  narrativeBytesMax: 16_384,
  /** Facts of one observation. */
  factsMax: 64,
  /** Bytes of one fact. */
  factBytesMax: 1_024,
  /** Concepts of one observation. */
  conceptsMax: 32,
  /** Characters of one concept. */
  conceptCharsMax: 64,
  /** Files of one observation, read and modified each. */
  filesMax: 128,
  /** Characters of one file's path. */
  fileCharsMax: 1_024,
  /** Characters of a kind. */
  kindCharsMax: 64,
  /** Characters of any other field's text that a person sets. */
  otherCharsMax: 16_384,
  /** Events of a session that the rules of capture look back on. */
  historyEventsMax: 50,
  /** Events that the use of a tool looks back on which is no command. */
  glanceEventsMax: 8,
  /** Bytes of one line of an import. */
  importLineBytesMax: 262_144,
} as const;
