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
  /** Whether others write here too; what they wrote, or may have written, is theirs to age. */
  readonly isShared: boolean;
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

/** How far work in steps is. */
export interface Step {
  readonly done: number;
  readonly all: number;
}

/** What of a namespace has come of age (LC2), looked for one observation a step. */
export function* dueLifecycle(
  deps: MemoryDeps,
  { namespace, isShared, rules }: Lifecycle,
): Generator<Step, LifecyclePlan> {
  // Not by name: two people may have the same one, and of somebody new none is known at first.
  const author = isShared ? "me" : undefined;
  const filter = { namespaces: [namespace], author, includeHidden: true };
  const { total: all, observations } = deps.store.reads.walk(filter);
  const aged: Aged[] = [];
  let done = 0;
  for (const observation of observations) {
    done += 1;
    yield { done, all };
    aged.push({ observation, digest: foldedInto(deps, observation) });
  }
  return planLifecycle(deps.sha256, aged, { rules, nowMs: deps.clock.nowMs() });
}

/**
 * Does what is due (LC3): a digest and the archiving of its sources in one step, or neither. Each step
 * tells what was done by then.
 */
export function* runLifecycle(
  deps: MemoryDeps,
  { digests, archives }: LifecyclePlan,
): Generator<Step & { readonly told: LifecycleDone }, LifecycleDone> {
  const all = digests.length + archives.length;
  let told: LifecycleDone = { digests: 0, archived: 0, refused: 0 };
  for (const [at, digest] of digests.entries()) {
    const isDone = change(deps, digest.namespace, digestChanges(deps, digest));
    told = isDone
      ? { ...told, digests: told.digests + 1, archived: told.archived + digest.fresh.length }
      : { ...told, refused: told.refused + 1 };
    yield { done: at + 1, all, told };
  }
  for (let at = 0; at < archives.length; at += stepMax) {
    for (const [namespace, step] of byNamespace(archives.slice(at, at + stepMax))) {
      const changes = step.flatMap(({ id }) => archiveChange(deps, id));
      const isDone = change(deps, namespace, changes);
      told = isDone
        ? { ...told, archived: told.archived + step.length }
        : { ...told, refused: told.refused + step.length };
    }
    yield { done: digests.length + Math.min(at + stepMax, archives.length), all, told };
  }
  return told;
}

/** Goes through all steps at once, and gives what comes of them. */
export function throughAll<Result>(steps: Generator<Step, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
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
