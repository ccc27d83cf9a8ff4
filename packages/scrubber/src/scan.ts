import { bitsAt } from "./chars.ts";
import type { Confidence, Layer } from "./finding.ts";
import type { Window } from "./rescan.ts";
import { textCharsMax, workBaseMax, workPerCharMax } from "./limits.ts";

/** A stretch of text that a rule holds to be a secret. */
export interface Candidate {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly ruleId: string;
  /** Higher wins where two rules claim the same stretch; shapes beat names. */
  readonly rank: number;
  /** Label of the placeholder. One label serves all secrets without a shape (SC3). */
  readonly label: string;
  /** The bare secret, un-escaped and without quotes, if it differs from the stretch itself. */
  readonly canonical?: string | undefined;
  readonly confidence: Confidence;
  readonly layer: Layer;
  readonly valid?: boolean | undefined;
  /** The form is several vendors', and the name beside it may say whose. */
  readonly isShared?: boolean | undefined;
  /** The kind is that of a vendor named beside the value, which has that vendor's form. */
  readonly isOwned?: boolean;
  /** So few are possible that the tag must not be made under a key that others have. */
  readonly isGuessable?: boolean | undefined;
  /** Quote to put around the placeholder, where the value stood bare in JSON. */
  readonly quote?: string | undefined;
}

/** A stretch that already is a placeholder. */
export interface Atom {
  readonly start: number;
  readonly end: number;
}

/** A row that may be one of names and values, and what stands above it. */
export interface KeyRow {
  readonly start: number;
  /** Where the values begin in a line; 0 where it is no such row. */
  readonly column: number;
  /** How many lines up the line of dashes is that says so. */
  readonly lines: number;
}

/** One pass over one text: what was found, what it has cost, and what need not be read twice. */
export interface Scan {
  readonly text: string;
  /** Only secrets with a shape are looked for. */
  readonly shapesOnly: boolean;
  /** How many layers of encoding were undone to get at the text. */
  readonly depth: number;
  /** What of the text is looked at, where the rest was and has not changed; all of it if absent. */
  windows: readonly Window[] | undefined;
  readonly candidates: Candidate[];
  readonly atoms: Atom[];
  workMax: number;
  /** Characters visited so far. */
  work: number;
  /** End of the run of a class that was measured last, by class mask. */
  runs: Map<number, { from: number; end: number }> | undefined;
  /** The bare value measured last. */
  bareFrom: number;
  bareEnd: number;
  /** The token noted last: another may begin right where it ends. */
  lastToken: Candidate | undefined;
  /** End of the name looked at last, so that two keywords in a name are one name. */
  nameEnd: number;
  /** Ends of lines at which a token, or what may be the start of one, ended. */
  breaks: Set<number> | undefined;
  /** Nothing before this place is looked at again by block scanners. */
  blockEnd: number;
  /** End of the command line read last, and how often what lies before it was read. */
  commandEnd: number;
  commandReads: number;
  /** The row of names and values looked at last. */
  keyRow: KeyRow | undefined;
  /** The same of the arguments of calls. */
  callEnd: number;
  callReads: number;
}

/** From this rank on a candidate is known by its shape, below it by its name alone. */
export const shapedRank: number = 900;

/** Label of every placeholder whose secret has no shape of its own. */
export const namedLabel: string = "credential";

/** Thrown when a scan has cost more than its input allows; the text is then withheld. */
export class OverBudgetError extends Error {}

/**
 * Starts a scan of a text, or of a text that was decoded out of another: that one may cost what
 * is left of the budget of the scan around it.
 */
export function createScan(text: string, shapesOnly: boolean, around?: Scan): Scan {
  if (text.length > textCharsMax) throw new OverBudgetError("text is too long");
  return {
    text,
    shapesOnly,
    depth: around === undefined ? 0 : around.depth + 1,
    windows: undefined,
    candidates: [],
    atoms: [],
    workMax:
      around === undefined
        ? workBaseMax + workPerCharMax * text.length
        : around.workMax - around.work,
    work: text.length,
    runs: undefined,
    bareFrom: -1,
    bareEnd: -1,
    lastToken: undefined,
    nameEnd: -1,
    breaks: undefined,
    blockEnd: 0,
    commandEnd: -1,
    commandReads: 0,
    keyRow: undefined,
    callEnd: -1,
    callReads: 0,
  };
}

/** Counts characters visited; throws {@link OverBudgetError} past the limit. */
export function spend(scan: Scan, chars: number): void {
  scan.work += chars;
  if (scan.work > scan.workMax) throw new OverBudgetError("scan is over budget");
}

/**
 * Gives the end of the run of a class that begins at `from`.
 * A run is measured once: later calls from inside it cost nothing.
 */
export function runEnd(scan: Scan, from: number, mask: number): number {
  const runs = (scan.runs ??= new Map());
  const memo = runs.get(mask);
  if (memo !== undefined && from >= memo.from && from < memo.end) return memo.end;
  let end = from;
  while ((bitsAt(scan.text, end) & mask) !== 0) end++;
  spend(scan, end - from + 1);
  if (memo === undefined) {
    runs.set(mask, { from, end });
  } else {
    memo.from = from;
    memo.end = end;
  }
  return end;
}

/** Remembers that a token ended, or broke off, where a line ends: it may go on in the next. */
export function noteBreak(scan: Scan, end: number): void {
  const code = scan.text.charCodeAt(end);
  if (code === 10 || code === 13) (scan.breaks ??= new Set()).add(end);
}

/** Notes a secret that is known by what stands around it. */
export function noteNamed(
  scan: Scan,
  found: Omit<Candidate, "rank" | "label" | "layer" | "confidence"> & Partial<Candidate>,
): void {
  if (found.end <= found.start) return;
  scan.candidates.push({
    rank: 0,
    label: namedLabel,
    confidence: "medium",
    layer: "plain",
    ...found,
  });
}
