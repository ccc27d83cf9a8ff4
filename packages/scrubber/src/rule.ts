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

/** A secret with a shape of its own: a literal anchor, then bounded runs of character classes. */
export interface TokenRule {
  readonly id: string;
  /** Kind, and label of the placeholder: lower-case words joined by single underscores. */
  readonly kind: string;
  /** Literal by which it is found; its case counts. */
  readonly anchor: string;
  readonly body: readonly Part[];
  /** What stands before the anchor and belongs to the token. */
  readonly before?: Run;
  readonly confidence?: Confidence;
  /** A failure keeps the text as it is. Absent: the body must not read as words. */
  readonly require?: TokenTest;
  /** A checksum: a failure is only reported, since a cut-off token is still a secret. */
  readonly valid?: TokenTest;
}

/** A secret known by what stands around it: a hand-written scanner starts at the anchors. */
export interface ScannerRule {
  readonly id: string;
  /** The kind reported unless the scanner knows better. */
  readonly kind: string;
  readonly anchors: readonly string[];
  /** Leaves shapes-only scans (lock files, minified code) alone if set. */
  readonly contextual?: boolean;
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

/** Builds a run of a named class of `min` to `max` characters; `max` defaults to `min`. */
export function run(charClass: CharClass, min: number, max: number = min): Run {
  return { mask: charClasses[charClass], min, max };
}

/** Length given to tokens whose vendors have lengthened them before. */
export const openMax: number = 4096;
