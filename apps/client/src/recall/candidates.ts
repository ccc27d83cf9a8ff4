import type { RecordId } from "@tidemark/protocol";
import type { ObservationFilter } from "../store/local-store.ts";
import type { Observation } from "../store/observation.ts";
import { isAbout } from "./about.ts";
import { branchWords } from "./branch.ts";
import type { Moment, RecallDeps } from "./moment.ts";
import { lastingKinds } from "./quality.ts";
import type { RecallReads } from "./reads.ts";
import { scoreOf, type Score } from "./score.ts";
import { hitsOf, tellingOf } from "./telling.ts";
import { workFactor, workReasons } from "./work.ts";

/** Observations that are looked at for one context. */
const candidatesMax = 200;
/** Observations of a person's own namespaces that are looked at whatever stands in others. */
const ownCandidatesMax = 50;
/** Older pinned ones, and as many older ones of the kinds that stay true. */
const olderCandidatesMax = 50;
/** Bytes of records that are read for one of these: as many notes of ten kilobytes as are looked at. */
const candidateBytesMax = 2_097_152;
const olderBytesMax = candidateBytesMax / 4;
/** Items that a prompt brings back. */
export const promptItemsMax = 5;
/** Hits that a prompt's items are picked from. */
const promptHitsMax = 20;
/** That somebody asked the same before answers nothing. */
const requestKind = "request";
/** Older observations that the branch's name may bring back. */
const branchHitsMax = 20;

/** One observation that may be given, and what it is ranked by. */
export interface Candidate {
  readonly observation: Observation;
  readonly score: Score;
}

/** What is looked at for a moment (RC3), the best first. */
export function candidatesFor(
  deps: RecallDeps,
  moment: Moment,
  nowMs: number,
): readonly Candidate[] {
  const given = givenTo(deps, moment);
  const found =
    moment.prompt === undefined ? recent(deps, moment, nowMs) : answering(deps, moment, nowMs);
  return found
    .filter(({ observation }) => !given.has(observation.id) && !isOfSession(observation, moment))
    .toSorted((left, right) => right.score.value - left.score.value);
}

const noIds: ReadonlySet<RecordId> = new Set();

/** What a session itself has made stands in its own transcript. */
function isOfSession({ session }: Observation, moment: Moment): boolean {
  return moment.session !== undefined && session === moment.session;
}

function givenTo(deps: RecallDeps, moment: Moment): ReadonlySet<RecordId> {
  return moment.session === undefined ? noIds : deps.sessions.injected(moment.session);
}

function recent(deps: RecallDeps, moment: Moment, nowMs: number): readonly Candidate[] {
  const everybodys = lookAt(deps.reads, filterOf(moment, candidatesMax));
  const own = [...(moment.ownNamespaces ?? [])].filter(
    (namespace) => moment.namespaces?.includes(namespace) !== false,
  );
  // Whoever floods a shared namespace does not push a person's own notes out of sight.
  const ownFilter = { ...filterOf(moment, ownCandidatesMax), namespaces: own };
  const ownOnes = own.length === 0 ? [] : lookAt(deps.reads, ownFilter);
  const work = moment.work ?? {};
  const words = branchWords(work.branch);
  const telling = words === "" ? undefined : tellingOf(deps.reads, words);
  const found =
    telling === undefined ? [] : hitsOf(deps.reads, telling, filterOf(moment, branchHitsMax));
  const ofBranch = found.map(({ observation }) => observation);
  const all = new Map([...everybodys, ...ownOnes, ...ofBranch].map((each) => [each.id, each]));
  return [...all.values()].map((observation) => {
    const score = scoreOf(observation, nowMs);
    const reasons = workReasons(observation, work, words);
    if (reasons.length === 0) return { observation, score };
    const why = [score.why, ...reasons].join(", ");
    return { observation, score: { value: score.value * workFactor, why } };
  });
}

/**
 * The newest, and of what is older the pinned ones and those of the kinds that stay true: a few
 * sessions do more than is looked at, and ranking has to decide (RC3).
 */
function lookAt(reads: RecallReads, filter: ObservationFilter): readonly Observation[] {
  const newest = reads.list(filter);
  const last = newest.at(-1);
  if (last === undefined) return [];
  // Of the moment of the last one there may be more.
  const older = {
    ...filter,
    beforeMs: last.createdAt + 1,
    limit: olderCandidatesMax,
    bytesMax: olderBytesMax,
  };
  const pinned = reads.list({ ...older, pinned: true });
  return [...newest, ...pinned, ...reads.list({ ...older, kinds: [...lastingKinds] })];
}

function answering(deps: RecallDeps, moment: Moment, nowMs: number): readonly Candidate[] {
  const prompt = moment.prompt ?? "";
  // What answers nothing must not take the places of what does: a long session has told much of the
  // very thing that it is asked about.
  const filter = {
    ...filterOf(moment, promptHitsMax),
    kindsNot: [requestKind],
    sessionNot: moment.session,
  };
  const telling = tellingOf(deps.reads, prompt);
  if (telling === undefined) return [];
  const found = hitsOf(deps.reads, telling, filter);
  const hits = found.filter(({ observation }) => isAbout(observation, prompt));
  // bm25 is negative and unbounded; what counts is how a hit compares with the best one.
  const best = hits[0]?.rank ?? -1;
  return hits.slice(0, promptItemsMax).map(({ observation, rank }) => {
    const closeness = best === 0 ? 1 : Math.min(1, Math.max(0, rank / best));
    return { observation, score: scoreOf(observation, nowMs, closeness) };
  });
}

function filterOf(moment: Moment, limit: number): ObservationFilter {
  return {
    limit,
    bytesMax: candidateBytesMax,
    ...(moment.project === undefined ? {} : { project: moment.project }),
    ...(moment.namespaces === undefined ? {} : { namespaces: moment.namespaces }),
  };
}
