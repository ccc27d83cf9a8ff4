import type { Observation } from "../../store/observation.ts";

/** What a digest says; follows from its sources alone. */
export interface DigestContent {
  readonly title: string;
  readonly facts: readonly string[];
  readonly concepts: readonly string[];
  readonly filesModified: readonly string[];
  readonly project: string | null;
  readonly session: string | null;
  readonly agent: string | null;
  /** When its newest source was made. */
  readonly createdAt: number;
}

const nothing = { project: null, session: null, agent: null, createdAt: 0 } as const;
const factsMax = 24;
const conceptsMax = 20;
const filesMax = 50;
const factCharsMax = 160;

/**
 * Tells several observations of one session as one (LC3): what was asked for, or the first thing that
 * was done, as title; each of the others as a line; their files and words together.
 *
 * @param sources oldest first, at least one
 */
export function digestOf(sources: readonly Observation[]): DigestContent {
  const { project, session, agent, createdAt } = sources.at(-1) ?? nothing;
  const lead = sources.find(({ kind }) => kind === "request") ?? sources[0];
  const others = sources.filter((source) => source !== lead);
  const lines = [...new Set(others.map(({ title }) => title.slice(0, factCharsMax)))];
  const left = lines.length - factsMax;
  return {
    title: lead?.title ?? "",
    facts: left > 0 ? [...lines.slice(0, factsMax), `and ${left} more`] : lines,
    concepts: union(sources.map(({ concepts }) => concepts)).slice(0, conceptsMax),
    filesModified: union(sources.map(({ filesModified }) => filesModified)).slice(0, filesMax),
    project,
    session,
    agent,
    createdAt,
  };
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].toSorted((left, right) => (left < right ? -1 : 1));
}
