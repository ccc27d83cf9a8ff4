/** The collections that this version knows; others are stored and passed on untouched. */
export const collections = {
  observation: "observation",
  session: "session",
  handoff: "handoff",
  conflict: "conflict",
} as const;
