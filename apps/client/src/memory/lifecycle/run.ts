import { collections, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { Change } from "../../store/local-store.ts";
import type { Observation } from "../../store/observation.ts";
import type { MemoryDeps } from "../deps.ts";
import { scrubFields } from "../scrub-content.ts";
import {
  planLifecycle,
  type Aged,
  type LifecyclePlan,
  type LifecycleRules,
  type PlannedDigest,
} from "./plan.ts";

/** Whose memory ages here, and by which rules. */
export interface Lifecycle {
  readonly namespace: NamespaceId;
  /** The person's name; what others wrote is theirs to age. */
  readonly user: string | null;
  readonly rules: LifecycleRules;
}

/** What was done, and what could not be: of a digest that was forgotten none is made again. */
export interface LifecycleDone {
  readonly digests: number;
  readonly archived: number;
  readonly refused: number;
}

/** The field that says what a record was folded into; `sources` of the digest says it the other way. */
const foldedField = "foldedInto";
/** Observations that one step archives. */
const stepMax = 100;

/** What of a namespace has come of age (LC2). `onRead` is told how many of how many were looked at. */
export function dueLifecycle(
  deps: MemoryDeps,
  lifecycle: Lifecycle,
  onRead: (done: number, all: number) => void = () => undefined,
): LifecyclePlan {
  const { namespace, user, rules } = lifecycle;
  const filter = { namespaces: [namespace], includeHidden: true };
  const { total, observations } = deps.store.reads.walk(filter);
  const aged: Aged[] = [];
  let read = 0;
  for (const observation of observations) {
    read += 1;
    onRead(read, total);
    const { author } = observation;
    if (author.user !== null && author.user !== user) continue;
    aged.push({ observation, digest: foldedInto(deps, observation) });
  }
  return planLifecycle(deps.sha256, aged, { rules, nowMs: deps.clock.nowMs() });
}

/** Does what is due (LC3): a digest and the archiving of its sources in one step, or neither. */
export function runLifecycle(
  deps: MemoryDeps,
  { digests, archives }: LifecyclePlan,
  onStep: (done: number, all: number) => void = () => undefined,
): LifecycleDone {
  const all = digests.length + archives.length;
  let [made, archived, refused] = [0, 0, 0];
  for (const digest of digests) {
    const isDone = change(deps, digest.namespace, digestChanges(deps, digest));
    if (isDone) [made, archived] = [made + 1, archived + digest.fresh.length];
    else refused += 1;
    onStep(made + refused, all);
  }
  for (let at = 0; at < archives.length; at += stepMax) {
    for (const [namespace, step] of byNamespace(archives.slice(at, at + stepMax))) {
      const changes = step.flatMap(({ id }) => archiveChange(deps, id));
      if (change(deps, namespace, changes)) archived += step.length;
      else refused += step.length;
    }
    onStep(digests.length + Math.min(at + stepMax, archives.length), all);
  }
  return { digests: made, archived, refused };
}

/** What was folded and brought back by somebody keeps the mark. */
function foldedInto({ store }: MemoryDeps, { id, namespace }: Observation): Aged["digest"] {
  const mark = store.reads.get(namespace, id)?.fields[foldedField];
  return typeof mark === "string" ? (mark as RecordId) : undefined;
}

function change(deps: MemoryDeps, namespace: NamespaceId, changes: readonly Change[]): boolean {
  if (changes.length === 0) return false;
  return deps.store.changes.change(namespace, changes, deps.clock.nowMs()).ok;
}

function digestChanges(deps: MemoryDeps, digest: PlannedDigest): readonly Change[] {
  const { id, content, sources, fresh } = digest;
  const { project, session, agent, ...told } = content;
  const fields = scrubFields(deps.scrub, {
    ...told,
    kind: "digest",
    narrative: "",
    filesRead: [],
    origin: "tool",
    sources: [...sources],
    facts: [...told.facts],
    concepts: [...told.concepts],
    filesModified: [...told.filesModified],
    ...(project === null ? {} : { project }),
    ...(session === null ? {} : { session }),
    ...(agent === null ? {} : { agent }),
  });
  if (!fields.ok) return [];
  const put = {
    kind: "put",
    id,
    collection: collections.observation,
    fields: fields.value,
  } as const;
  return [put, ...fresh.flatMap((source) => archiveChange(deps, source, id))];
}

function archiveChange(deps: MemoryDeps, id: RecordId, digest?: RecordId): readonly Change[] {
  const mark = digest === undefined ? {} : { [foldedField]: digest };
  const fields = scrubFields(deps.scrub, { archived: true, ...mark });
  return fields.ok ? [{ kind: "set", id, fields: fields.value }] : [];
}

function byNamespace(
  observations: readonly Observation[],
): ReadonlyMap<NamespaceId, readonly Observation[]> {
  const places = new Map<NamespaceId, Observation[]>();
  for (const each of observations) {
    const held = places.get(each.namespace);
    if (held === undefined) places.set(each.namespace, [each]);
    else held.push(each);
  }
  return places;
}
