import type { Hint } from "../finding.ts";
import type { Candidate, Scan } from "../scan.ts";
import { mergeCandidates, type Span } from "../spans.ts";
import type { Tagger } from "../tagger.ts";
import type { ControlFault } from "./fault.ts";
import { compileGlob, type PathTest } from "./glob.ts";
import { literalKind } from "./literals.ts";
import { userRulePrefix } from "./user-rule.ts";

/** What stays although a rule takes it for a secret. `<private>` and literals go all the same. */
export interface Allow {
  /** Tags of placeholders, or placeholders whole: the very value stays, and stands nowhere. */
  readonly tags?: readonly string[];
  /** Kinds, as findings name them. */
  readonly kinds?: readonly string[];
  /** Globs; in a file whose `hint.path` matches, everything stays. */
  readonly paths?: readonly string[];
}

/** An allow-list made ready. */
export interface AllowList {
  readonly tags: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
  readonly paths: readonly PathTest[];
}

/** Most entries of one list. */
export const allowEntriesMax: number = 1024;

const globCharsMax = 256;
const kindPattern = (): RegExp => /^[a-z0-9]+(_[a-z0-9]+)*$/;
const tagPattern = (): RegExp => /^(?:__SECRET_[a-z0-9_]+_)?([a-z2-7]{12})(?:__)?$/;
/** What a person has marked and what could not be scrubbed is no false positive. */
const neverAllowed = new Set(["private", "withheld", "placeholder"]);

/** Says what is wrong with an allow-list. */
export function faultsOfAllow(allow: Allow): readonly ControlFault[] {
  const faults: ControlFault[] = [];
  const each = (
    list: "tags" | "kinds" | "paths",
    faultOf: (entry: string) => Omit<ControlFault, "where"> | undefined,
  ): void => {
    const entries = allow[list] ?? [];
    if (entries.length > allowEntriesMax) {
      const message = `more than ${allowEntriesMax} entries`;
      faults.push({ where: `allow.${list}`, message, hint: "allow a kind or a path instead" });
    }
    for (const [index, entry] of entries.entries()) {
      const fault = faultOf(entry);
      if (fault !== undefined) faults.push({ where: `allow.${list}[${index}]`, ...fault });
    }
  };
  each("tags", (entry) =>
    tagPattern().test(entry)
      ? undefined
      : { message: "this is no tag", hint: "copy the placeholder, or its 12 characters before __" },
  );
  each("kinds", faultOfKind);
  each("paths", (entry) =>
    entry.trim() !== "" && entry.length <= globCharsMax
      ? undefined
      : { message: "this is no path", hint: "write a glob such as test/fixtures/**" },
  );
  return faults;
}

function faultOfKind(entry: string): Omit<ControlFault, "where"> | undefined {
  if (!kindPattern().test(entry)) {
    return { message: "this is no kind", hint: "write it as a finding does, such as github_pat" };
  }
  if (!neverAllowed.has(entry)) return undefined;
  return { message: `${entry} cannot be allowed`, hint: "remove the entry" };
}

/** Makes an allow-list ready; nothing where it allows nothing. */
export function compileAllow({ tags = [], kinds = [], paths = [] }: Allow): AllowList | undefined {
  if (tags.length + kinds.length + paths.length === 0) return undefined;
  return {
    tags: new Set(tags.map((tag) => tagPattern().exec(tag)?.[1] ?? tag)),
    kinds: new Set(kinds),
    paths: paths.map((path) => compileGlob(path)),
  };
}

/**
 * Gives the stretches to replace: all that was found without what is allowed. Where a stretch
 * stays, so does what was only found as a weaker form of the same; a stronger find inside it, or
 * one that reaches beyond it, goes. Each round gives up candidates, so there are few.
 */
export function spansToTake(
  scan: Scan,
  allow: AllowList | undefined,
  { tagOf, hint }: { readonly tagOf: Tagger; readonly hint: Hint },
): readonly Span[] {
  if (allow === undefined || scan.candidates.length === 0) return mergeCandidates(scan);
  const { path } = hint;
  if (path !== undefined && allow.paths.some((matches) => matches(path))) {
    keep(scan, ({ kind }) => neverAllowed.has(kind) || kind === literalKind);
  }
  for (;;) {
    const spans = mergeCandidates(scan);
    const allowed = spans.flatMap((span) => allowedSpan(span, allow, tagOf) ?? []);
    if (allowed.length === 0) return spans;
    const before = scan.candidates.length;
    keep(scan, (candidate) => !goesWith(candidate, allowed));
    // What cannot be given up is taken out.
    if (scan.candidates.length === before) return spans;
  }
}

interface AllowedSpan extends Span {
  /** The very value is allowed, and not only the kind that it was taken for. */
  readonly isByTag: boolean;
}

function allowedSpan(span: Span, allow: AllowList, tagOf: Tagger): AllowedSpan | undefined {
  const { kind, lead, canonical } = span;
  if (neverAllowed.has(lead.kind)) return undefined;
  if (allow.tags.size > 0 && allow.tags.has(tagOf(canonical, lead.isGuessable))) {
    return { ...span, isByTag: true };
  }
  return allow.kinds.has(kind) ? { ...span, isByTag: false } : undefined;
}

/** Whether a candidate lies in an allowed span and says no more than what is allowed there. */
function goesWith(candidate: Candidate, allowed: readonly AllowedSpan[]): boolean {
  const span = spanAt(allowed, candidate.start);
  if (span === undefined || neverAllowed.has(candidate.kind)) return false;
  const { lead } = span;
  if (candidate.start === lead.start && candidate.ruleId === lead.ruleId) return true;
  if (candidate.kind === literalKind) return false;
  if (span.isByTag) return true;
  // A rule of somebody's own must not pass off a known secret as a kind that is allowed.
  if (isOwnRule(lead) && !isOwnRule(candidate)) return false;
  return candidate.start >= lead.start && candidate.end <= lead.end && candidate.rank <= lead.rank;
}

function isOwnRule({ ruleId }: Candidate): boolean {
  return ruleId.startsWith(userRulePrefix);
}

/** The last span that begins at or before a place, if the place lies in it. */
function spanAt(spans: readonly AllowedSpan[], place: number): AllowedSpan | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as AllowedSpan).end > place) high = middle;
    else low = middle + 1;
  }
  const span = spans[low];
  // An escape before the first character belongs to the span, and not to its candidates.
  return span !== undefined && span.start <= place + 1 ? span : undefined;
}

function keep(scan: Scan, isKept: (candidate: Candidate) => boolean): void {
  const kept = scan.candidates.filter(isKept);
  scan.candidates.length = 0;
  for (const candidate of kept) scan.candidates.push(candidate);
}
