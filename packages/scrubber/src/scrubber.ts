import { compiledCatalog } from "./compiled-catalog.ts";
import type { RuleSet } from "./compile.ts";
import { type Control, type ReadyControl, readyControl } from "./control/control.ts";
import type { Finding, Hint, JsonValue } from "./finding.ts";
import { keepJson } from "./json-guard.ts";
import { scrubTree } from "./json-tree.ts";
import { passesMax, passesWorkMax, patientPassesMax, roundsMax } from "./limits.ts";
import { noteWhole, prefixFor } from "./named-leaf.ts";
import { type Look, lookThrough } from "./layers/look.ts";
import { runPass } from "./pass.ts";
import { choosePersonal, type PersonalRules, runPersonal } from "./personal.ts";
import type { PersonalKind } from "./personal-rule.ts";
import { writePlaceholder } from "./placeholder.ts";
import { type Edit, mapBack, rewriteSpans } from "./rewrite.ts";
import { windowsAround } from "./rescan.ts";
import { createScan } from "./scan.ts";
import { createTagger, type Hmac, type Tagger } from "./tagger.ts";
import { widenToWords } from "./widen.ts";

/** What a scrubber needs from outside. */
export interface ScrubberOptions extends Control {
  /** HMAC under a key that never leaves the machine; it makes the tags of placeholders. */
  readonly hmac: Hmac;
  /** HMAC for guessable secrets, such as passwords; `hmac` if absent. */
  readonly hmacLowEntropy?: Hmac;
  /**
   * Takes out personal data as well: `true` for every kind that a checksum or its context makes
   * sure of, or the kinds by name. Secrets alone if absent (SC12).
   */
  readonly personalData?: boolean | readonly PersonalKind[];
  /**
   * `false` leaves out the look at whether JSON still is JSON (SC8). Every finding then has its
   * place in the text itself, as a report of places needs it; the text is not for keeping.
   */
  readonly keepsJson?: boolean;
  /** Told how many characters a scan visited; for tests of linear time. */
  readonly onWork?: (work: number) => void;
}

/** A text without secrets, and what was taken out of it. */
export interface ScrubbedResult {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** A JSON value without secrets, and what was taken out of it. */
export interface ScrubbedJsonResult {
  readonly value: JsonValue;
  readonly findings: readonly Finding[];
}

/** Takes secrets out of texts and JSON values. Holds no state between calls. */
export interface Scrubber {
  /**
   * Gives the text with a placeholder in the place of every secret (SC1). Scrubbing again
   * changes nothing (SC2); JSON stays JSON (SC8); on any fault the text is withheld (SC5).
   */
  scrub(text: string, hint?: Hint): ScrubbedResult;
  /** Does the same leaf by leaf and key by key, with the keys as context (SC9). */
  scrubJson(value: JsonValue, hint?: Hint): ScrubbedJsonResult;
}

interface Deps {
  readonly rules: RuleSet;
  readonly personal: PersonalRules | undefined;
  readonly control: ReadyControl;
  readonly keepsJson: boolean;
  readonly tagOf: Tagger;
  readonly onWork: ((work: number) => void) | undefined;
}

/**
 * Builds a scrubber. The rules are compiled at the first call in a process. Throws a
 * `ControlError` where literals, rules or allow-lists cannot be used as they are.
 *
 * @example
 * ```ts
 * const scrubber = createScrubber({ hmac: testHmac });
 * const { text } = scrubber.scrub("DB_PASSWORD=" + "Tr0ub4dor" + "&3");
 * expect(text).toMatch(/^DB_PASSWORD=__SECRET_credential_[a-z2-7]{12}__$/);
 * ```
 */
export function createScrubber(options: ScrubberOptions): Scrubber {
  const deps: Deps = {
    rules: compiledCatalog(),
    personal: choosePersonal(options.personalData ?? false),
    control: readyControl(options),
    keepsJson: options.keepsJson ?? true,
    tagOf: createTagger(options.hmac, options.hmacLowEntropy ?? options.hmac),
    onWork: options.onWork,
  };
  const scrub = (text: string, hint: Hint = {}): ScrubbedResult => {
    try {
      return scrubGuarded(deps, { scrub, scrubJson }, text, hint);
    } catch {
      return withhold(deps, text);
    }
  };
  const scrubJson = (value: JsonValue, hint: Hint = {}): ScrubbedJsonResult => {
    try {
      const readsNumbers = deps.personal !== undefined || deps.control.readsNumbers;
      return scrubTree({ scrub, stub: stubOf(deps), readsNumbers }, value, hint);
    } catch {
      const { text, findings } = withhold(deps, "json");
      return { value: text, findings };
    }
  };
  return { scrub, scrubJson };
}

/**
 * Scrubs a text and writes it anew where JSON would have broken. What was written anew is scrubbed
 * again until it stays as it is, since a value reads otherwise in its escapes than bare.
 */
function scrubGuarded(deps: Deps, scrubs: Scrubber, text: string, hint: Hint): ScrubbedResult {
  let current = text;
  const earlier: Finding[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const result = scrubText(deps, current, hint);
    const isKept = result.findings.length === 0 || !deps.keepsJson;
    const kept = isKept ? result : keepJson(current, result, partsOf(scrubs, hint));
    const isSettled = kept === result || kept.text === current;
    if (isSettled && round === 0) return kept;
    if (isSettled) return { text: kept.text, findings: earlier };
    if (round === 0) for (const found of kept.findings) earlier.push(found);
    current = kept.text;
  }
  throw new Error("scrubbing does not settle");
}

/** What parts of a text are scrubbed with: they come from the same file. */
function partsOf(scrubs: Scrubber, { path }: Hint): Pick<Scrubber, "scrub" | "scrubJson"> {
  if (path === undefined) return scrubs;
  return {
    scrub: (text) => scrubs.scrub(text, { path }),
    scrubJson: (value) => scrubs.scrubJson(value, { path }),
  };
}

/** Passes over the text until a pass finds nothing: what comes out has been found clean. */
function scrubText(deps: Deps, text: string, hint: Hint): ScrubbedResult {
  const prefix = prefixFor(hint);
  const look = lookOf(deps, hint);
  let current = prefix + text;
  const findings: Finding[] = [];
  const edits: (readonly Edit[])[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passesMax; pass++) {
    const scan = createScan(current, isShapesOnly(hint));
    left = Math.min(left, passesWorkMax * scan.workMax);
    scan.workMax = Math.min(scan.workMax, left);
    if (edits[0] !== undefined && !deps.personal) scan.windows = windowsAround(current, edits[0]);
    if (prefix === "" && hint.name !== undefined) noteWhole(scan, hint.name);
    const found = lookThrough(scan, look);
    const spans = pass < patientPassesMax ? found : widenToWords(scan, found);
    deps.onWork?.(scan.work);
    left -= scan.work;
    if (spans.length === 0) return shiftBack(prefix, current, findings);
    const rewritten = rewriteSpans(current, spans, deps.tagOf);
    for (const each of rewritten.findings) findings.push(mapAll(each, edits));
    edits.unshift(rewritten.edits);
    current = rewritten.text;
  }
  throw new Error("scrubbing does not settle");
}

/** The rules, what the user asks for, and what of it all is to go. */
function lookOf(deps: Deps, hint: Hint): Look {
  return {
    find: (scan) => {
      runPass(scan, deps.rules);
      const name = scan.depth === 0 ? hint.name : undefined;
      if (deps.personal && !scan.shapesOnly) runPersonal(scan, deps.personal, name);
      deps.control.find?.(scan);
    },
    choose: (scan) => deps.control.choose(scan, { tagOf: deps.tagOf, hint }),
  };
}

function mapAll(found: Finding, edits: readonly (readonly Edit[])[]): Finding {
  let span = { start: found.start, end: found.end };
  for (const each of edits) span = mapBack(span, each);
  return { ...found, ...span };
}

function shiftBack(prefix: string, text: string, findings: readonly Finding[]): ScrubbedResult {
  if (prefix === "") return { text, findings };
  const shift = prefix.length;
  return {
    text: text.slice(shift),
    findings: findings.map((each) => ({
      ...each,
      start: Math.max(0, each.start - shift),
      end: each.end - shift,
    })),
  };
}

/** Gives a stub for a text that could not be scrubbed: nothing of it gets through (SC5). */
function withhold(deps: Deps, text: string): ScrubbedResult {
  const stub = stubOf(deps)(text);
  return { text: stub.text, findings: [{ ...stub.finding, start: 0, end: text.length }] };
}

/** A stub for what is withheld, and its finding. */
type Stub = (text: string) => { readonly text: string; readonly finding: Finding };

function stubOf(deps: Deps): Stub {
  return (text) => {
    const tag = safeTag(deps, text);
    const finding: Finding = {
      kind: "withheld",
      ruleId: "withheld",
      start: 0,
      end: text.length,
      placeholderTag: tag,
      confidence: "low",
      layer: "plain",
    };
    return { text: writePlaceholder("withheld", tag), finding };
  };
}

function safeTag(deps: Deps, text: string): string {
  try {
    return deps.tagOf(text.slice(0, 65_536));
  } catch {
    return "a".repeat(12);
  }
}

const shapesOnlyPath = (): RegExp =>
  /(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|go\.sum|poetry\.lock|pipfile\.lock|composer\.lock|gemfile\.lock|gradle\.lockfile|podfile\.lock|bun\.lockb?|uv\.lock|flake\.lock|\.min\.(?:js|css)|\.(?:js|css)\.map)$|(?:^|[/\\])node_modules[/\\]/i;

function isShapesOnly(hint: Hint): boolean {
  return hint.path !== undefined && shapesOnlyPath().test(hint.path);
}
