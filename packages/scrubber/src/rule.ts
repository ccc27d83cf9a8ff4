import { type CharClass, charClasses } from "./chars.ts";
import type { Confidence } from "./finding.ts";
import type { Scan } from "./scan.ts";

/** A stretch of one character class, as long as the text allows within its bounds. */
export interface Run {
  readonly mask: number;
  readonly min: number;
  readonly max: number;
}

/** A piece of a token's body: a literal or a run. */
export type Part = string | Run;

/** A test on a token found, given the text and where the token lies in it. */
export type TokenTest = (text: string, start: number, end: number) => boolean;

/**
 * How much it matters that a kind is found: 0 what an agent holds itself and must never leak,
 * 1 forms of every session, 2 tokens of vendors, 3 personal data.
 */
export type Priority = 0 | 1 | 2 | 3;

/** What every entry of the catalogue says of itself (SC13). */
export interface KindFacts {
  /** What is found, and the label of its placeholder: lower-case words joined by underscores. */
  readonly kind: string;
  readonly priority: Priority;
  /** Page that describes the form; where no page is known, words that say so. */
  readonly source: string;
}

/** What is said of a token beyond its kind and its anchor. */
export interface TokenShape {
  readonly body: readonly Part[];
  /** What stands before the anchor and belongs to the token. */
  readonly before?: Run;
  readonly confidence?: Confidence;
  /** Several vendors write theirs so: a name beside it says whose it is. */
  readonly isShared?: boolean;
  /** A failure keeps the text as it is. Absent: the body must not read as words. */
  readonly require?: TokenTest;
  /** A checksum: a failure is only reported, since a cut-off token is still a secret. */
  readonly valid?: TokenTest;
}

/** An entry of the catalogue: one shape of a kind, with every literal it may begin with. */
export interface TokenKind extends KindFacts, TokenShape {
  readonly anchors: readonly string[];
}

/** A secret with a shape of its own: a literal anchor, then bounded runs of character classes. */
export interface TokenRule extends KindFacts, TokenShape {
  readonly id: string;
  /** Literal by which it is found; its case counts. */
  readonly anchor: string;
}

/** A secret known by what stands around it: a hand-written scanner starts at the anchors. */
export interface ScannerRule extends KindFacts {
  readonly id: string;
  readonly anchors: readonly string[];
  /** Leaves shapes-only scans (lock files, minified code) alone if set. */
  readonly contextual?: boolean;
  /** The case of its anchors counts: the scanner compares them, and a build keeps them for it. */
  readonly isExact?: boolean;
  /** Looks around one hit of an anchor and notes candidates in the scan. */
  readonly scan: (scan: Scan, hit: Hit) => void;
}

/** Where an anchor was met. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  readonly rule: ScannerRule;
}

/** Any rule of the catalogue. */
export type Rule = TokenRule | ScannerRule;

/**
 * A secret without a shape of its own, such as 32 hexadecimal digits: it is one under a name that
 * holds the vendor's words, and has the length and the characters that the vendor gives it.
 */
export interface NamedKind extends KindFacts {
  /** The name holds one of each; alternatives are parted by bars, and the first is the owner's. */
  readonly words: readonly string[];
  /** What the whole value may look like. */
  readonly shapes: readonly (readonly Part[])[];
}

/** Gives one rule for each anchor of each kind. */
export function tokenRules(kinds: readonly TokenKind[]): readonly TokenRule[] {
  return kinds.flatMap(({ anchors, ...rest }) =>
    anchors.map((anchor) => ({ ...rest, id: `${rest.kind}:${anchor}`, anchor })),
  );
}

/** Builds a run of a named class of `min` to `max` characters; `max` defaults to `min`. */
export function run(charClass: CharClass, min: number, max: number = min): Run {
  return { mask: charClasses[charClass], min, max };
}

/** Length given to tokens whose vendors have lengthened them before. */
export const openMax: number = 4096;

/** The five groups of a UUID in lower or upper case. */
export const uuid: readonly Part[] = [8, 4, 4, 4, 12].flatMap((count, index) =>
  index === 0 ? [run("anyHex", count)] : ["-", run("anyHex", count)],
);
