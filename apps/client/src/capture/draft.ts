/** What kind of thing an observation remembers. */
export type ObservationKind =
  | "change"
  | "command"
  | "failure"
  | "fix"
  | "decision"
  | "discovery"
  | "request"
  | "note";

/** Who the words of a draft come from: set by the rule that made it, never by a model. */
export type Origin = "user" | "agent" | "tool" | "web";

/** One thing worth remembering, taken from events; not yet scrubbed, so not yet to be stored. */
export interface Draft {
  /** The same for the same thing, from a hook and from a transcript: a record id is derived from it. */
  readonly key: string;
  readonly kind: ObservationKind;
  readonly title: string;
  readonly narrative: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly origin: Origin;
  /** Keys of drafts whose place this one takes: it tells the same, and more. */
  readonly replaces?: readonly string[];
}

/** How large the parts of a draft may be, in characters or members. */
export const draftLimits = {
  titleCharsMax: 120,
  narrativeCharsMax: 2000,
  factCharsMax: 240,
  factsMax: 12,
  /** Facts of a change: a line for each file. */
  changeFactsMax: 34,
  conceptsMax: 8,
  filesMax: 32,
} as const;
