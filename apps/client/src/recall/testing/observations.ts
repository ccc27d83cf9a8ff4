import type { NamespaceId, RecordId } from "@tidemark/protocol";
import type { Observation } from "../../store/observation.ts";
import type { RecallDeps } from "../moment.ts";

/** The moment of all tests of recall. */
export const testNowMs = 1_800_000_000_000;

/** A hour in milliseconds. */
export const hourMs = 3_600_000;

/** An observation of this device, an hour old. For tests. */
export function testObservation(id: string, fields: Partial<Observation> = {}): Observation {
  return {
    id: id as RecordId,
    namespace: "ns_own" as NamespaceId,
    project: "git:example.com/p",
    kind: "note",
    title: `Title of ${id}`,
    narrative: "",
    facts: [],
    concepts: [],
    filesRead: [],
    filesModified: [],
    pinned: false,
    archived: false,
    supersededBy: null,
    author: { user: "ada", device: "laptop-a" },
    editedBy: null,
    origin: "user",
    trust: 4,
    reviewed: false,
    agent: null,
    session: null,
    createdAt: testNowMs - hourMs,
    lamport: 1,
    seq: 1,
    ...fields,
  };
}

/** What recall is built from, over observations that a test made; a search finds them all, in order. */
export function testRecall(observations: readonly Observation[]): RecallDeps & {
  readonly given: Map<string, Set<RecordId>>;
} {
  const given = new Map<string, Set<RecordId>>();
  const first = (limit: number | undefined): readonly Observation[] => observations.slice(0, limit);
  return {
    given,
    reads: {
      list: ({ limit, namespaces }) =>
        observations
          .filter(({ namespace }) => namespaces?.includes(namespace) !== false)
          .slice(0, limit),
      count: () => observations.length,
      search: (_match, { limit, kindsNot }) =>
        first(limit)
          .filter(({ kind }) => kindsNot?.includes(kind) !== true)
          .map((observation, index) => ({ observation, rank: index - 10 })),
      countMatches: () => observations.length,
    },
    sessions: {
      injected: (session) => given.get(session) ?? new Set(),
      addGiving: ({ session, items }) => {
        const ids = items.map(({ id }) => id);
        given.set(session, new Set([...(given.get(session) ?? []), ...ids]));
      },
    },
    clock: { nowMs: () => testNowMs },
    random: { bytes: (count) => new Uint8Array(count).fill(7) },
    scrub: (text) => text.replaceAll("hunter2", "__SECRET__"),
  };
}
