import { base32, idBytes, type NamespaceId, type RecordId, type Sha256 } from "@tidemark/protocol";
import type { Observation } from "../../store/observation.ts";
import { digestOf, type DigestContent } from "./digest.ts";

const dayMs = 86_400_000;

/** What is done with memory as it ages; ages are counted in days, from when it was made. */
export interface LifecycleRules {
  /** What a session did is folded into one digest from this age on. */
  readonly compactDays: number;
  /** Everything that nobody pinned is archived from this age on; undefined: nothing is. */
  readonly archiveDays: number | undefined;
}

/** An observation, and the digest that it was folded into, where it was. */
export interface Aged {
  readonly observation: Observation;
  readonly digest: RecordId | undefined;
  /** Whether somebody brought it back from an archive. */
  readonly isBack: boolean;
}

/** A digest that is to be made, or to be made anew of more than before. */
export interface PlannedDigest {
  readonly id: RecordId;
  readonly namespace: NamespaceId;
  readonly content: DigestContent;
  /** All that it stands for, oldest first. */
  readonly sources: readonly RecordId[];
  /** Those of them that are still shown. */
  readonly fresh: readonly RecordId[];
}

/** What is due now. */
export interface LifecyclePlan {
  readonly digests: readonly PlannedDigest[];
  readonly archives: readonly Observation[];
}

/** Records of what was done, which a digest tells as well. What was learned stays as it is. */
const foldedKinds: ReadonlySet<string> = new Set(["change", "command", "failure", "request"]);
/** What came from elsewhere and was reviewed by nobody is trusted less. */
const trustMin = 2;
/** Fewer are no easier to read as one. */
const sourcesMin = 3;

/**
 * Works out what has come of age (LC2). Of the same memory every device plans the same, under the
 * same ids, so that two that do it unaware of each other agree (LC4). Pinned ones never age, and what
 * somebody brought back from an archive stays.
 *
 * @param aged a person's own observations, hidden ones too
 */
export function planLifecycle(
  sha256: Sha256,
  aged: readonly Aged[],
  { rules, nowMs }: { readonly rules: LifecycleRules; readonly nowMs: number },
): LifecyclePlan {
  const digests = [...bySession(aged).values()].flatMap(
    (session) => planDigest(sha256, session, nowMs - rules.compactDays * dayMs) ?? [],
  );
  const folded = new Set(digests.flatMap(({ fresh }) => fresh));
  const { archiveDays } = rules;
  const beforeMs = archiveDays === undefined ? -Infinity : nowMs - archiveDays * dayMs;
  const archives = aged
    .filter((each) => {
      const { observation } = each;
      return mayAge(each) && observation.createdAt < beforeMs && !folded.has(observation.id);
    })
    .map(({ observation }) => observation);
  return { digests, archives };
}

function bySession(aged: readonly Aged[]): ReadonlyMap<string, readonly Aged[]> {
  const sessions = new Map<string, Aged[]>();
  for (const each of aged) {
    const { namespace, session } = each.observation;
    if (session === null) continue;
    const key = `${namespace}\n${session}`;
    const held = sessions.get(key);
    if (held === undefined) sessions.set(key, [each]);
    else held.push(each);
  }
  return sessions;
}

function planDigest(
  sha256: Sha256,
  session: readonly Aged[],
  beforeMs: number,
): PlannedDigest | undefined {
  // A session that goes on is of the age of its newest.
  if (session.some(({ observation }) => observation.createdAt >= beforeMs)) return undefined;
  const [first] = session;
  if (first === undefined) return undefined;
  const { namespace } = first.observation;
  const id = digestId(sha256, namespace, first.observation.session ?? "");
  const fresh = session.filter((each) => isFresh(each));
  const sources = session
    .filter((each) => each.digest === id || isFresh(each))
    .map(({ observation }) => observation)
    .toSorted((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
  if (fresh.length === 0 || sources.length < sourcesMin) return undefined;
  return {
    id,
    namespace,
    content: digestOf(sources),
    sources: sources.map((source) => source.id),
    fresh: fresh.map(({ observation }) => observation.id),
  };
}

/** Folded into nothing yet, and of a kind that a digest tells. */
function isFresh(aged: Aged): boolean {
  const { observation } = aged;
  // A digest is this device's own word: it lends none of that to what nobody has reviewed.
  return mayAge(aged) && observation.trust >= trustMin && foldedKinds.has(observation.kind);
}

/** Whether it is shown, and nobody has said that it is to stay so. */
export function mayAge({ observation, digest, isBack }: Aged): boolean {
  return digest === undefined && !isBack && !observation.pinned && isShown(observation);
}

function isShown({ archived, supersededBy }: Observation): boolean {
  return !archived && supersededBy === null;
}

/** A session's digest has one id on every device. */
function digestId(sha256: Sha256, namespace: NamespaceId, session: string): RecordId {
  const hash = sha256(["tidemark digest 1", namespace, session].join("\n"));
  return base32(hash.subarray(0, idBytes)) as RecordId;
}
