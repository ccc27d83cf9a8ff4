import { collections, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { Change } from "../../store/local-store.ts";
import type { Observation } from "../../store/observation.ts";
import type { MemoryDeps } from "../deps.ts";
import { scrubFields } from "../scrub-content.ts";
import {
  mayAge,
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
    aged.push(agedOf(deps, observation));
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
  let told = nothingDone;
  for (const [at, digest] of digests.entries()) {
    told = sum(told, fold(deps, digest));
    yield { done: at + 1, all, told };
  }
  for (let at = 0; at < archives.length; at += stepMax) {
    for (const [namespace, step] of byNamespace(archives.slice(at, at + stepMax))) {
      told = sum(told, archive(deps, namespace, step));
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

/** What was folded and brought back by somebody keeps the mark; nothing is made with `archived` off. */
function agedOf({ store }: MemoryDeps, observation: Observation): Aged {
  const fields = store.reads.get(observation.namespace, observation.id)?.fields ?? {};
  const mark = fields[foldedField];
  const digest = typeof mark === "string" ? (mark as RecordId) : undefined;
  return { observation, digest, isBack: fields["archived"] === false };
}

type Aging = "may-age" | "stays" | "gone";

/** What somebody pinned, archived or forgot since the look is theirs: the look may have taken minutes. */
function agingNow(deps: MemoryDeps, namespace: NamespaceId, id: RecordId): Aging {
  const now = deps.store.reads.observation(namespace, id);
  if (now === undefined) return "gone";
  return mayAge(agedOf(deps, now)) ? "may-age" : "stays";
}

function change(deps: MemoryDeps, namespace: NamespaceId, changes: readonly Change[]): boolean {
  if (changes.length === 0) return false;
  return deps.store.changes.change(namespace, changes, deps.clock.nowMs()).ok;
}

/** Nothing is done where something of it changed since: the next run plans it anew. */
function fold(deps: MemoryDeps, digest: PlannedDigest): LifecycleDone {
  const { namespace, fresh } = digest;
  return deps.store.transact<LifecycleDone>(() => {
    if (fresh.some((id) => agingNow(deps, namespace, id) !== "may-age")) return nothingDone;
    const isDone = change(deps, namespace, digestChanges(deps, digest));
    return isDone
      ? { ...nothingDone, digests: 1, archived: fresh.length }
      : { ...nothingDone, refused: 1 };
  });
}

/** One step of one namespace. */
function archive(
  deps: MemoryDeps,
  namespace: NamespaceId,
  step: readonly Observation[],
): LifecycleDone {
  return deps.store.transact<LifecycleDone>(() => {
    const now = step.map(({ id }) => ({ id, aging: agingNow(deps, namespace, id) }));
    const due = now.filter(({ aging }) => aging === "may-age");
    const gone = now.filter(({ aging }) => aging === "gone").length;
    const changes = due.flatMap(({ id }) => archiveChange(deps, id));
    const isDone = change(deps, namespace, changes);
    return isDone
      ? { ...nothingDone, archived: due.length, refused: gone }
      : { ...nothingDone, refused: gone + due.length };
  });
}

const nothingDone: LifecycleDone = { digests: 0, archived: 0, refused: 0 };

function sum(left: LifecycleDone, right: LifecycleDone): LifecycleDone {
  return {
    digests: left.digests + right.digests,
    archived: left.archived + right.archived,
    refused: left.refused + right.refused,
  };
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
