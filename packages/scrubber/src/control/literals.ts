import type { Layer } from "../finding.ts";
import type { ScannerRule } from "../rule.ts";
import { type Candidate, type Scan, spend } from "../scan.ts";
import type { ControlFault } from "./fault.ts";

/** Kind and label of what a user has named word by word. */
export const literalKind = "literal";

/** Shortest literal, in code units: shorter ones stand in too many words. */
export const literalCharsMin: number = 4;
/** Longest literal, in code units. */
export const literalCharsMax: number = 512;
/** Most literals of a user. */
export const literalsMax: number = 256;

const anchorCharsMax = 8;
/** Over names, under shapes: a token that is also a literal keeps its kind. */
const literalRank = 400;

/** One way to write a literal. */
interface Written {
  readonly literal: string;
  readonly text: string;
  readonly layer: Layer;
}

/** Literals made ready: rules where they hold something to look for, else texts to search for. */
export interface LiteralSearch {
  readonly rules: readonly ScannerRule[];
  /** Without two ASCII characters in a row, such as names in another script, by their first. */
  readonly bare: ReadonlyMap<number, readonly Written[]>;
  /** A number among them may stand in JSON without quotes. */
  readonly hasNumber: boolean;
}

/** Says what is wrong with literals. The text of none is quoted: messages are shown and logged. */
export function faultsOfLiterals(literals: readonly string[]): readonly ControlFault[] {
  const faults: ControlFault[] = [];
  if (literals.length > literalsMax) {
    const hint = "write a rule for what they have in common";
    faults.push({ where: "literals", message: `more than ${literalsMax} literals`, hint });
  }
  for (const [index, literal] of literals.entries()) {
    const length = literal.trim().length;
    if (length >= literalCharsMin && literal.length <= literalCharsMax) continue;
    faults.push({
      where: `literals[${index}]`,
      message: `a literal has ${literalCharsMin} to ${literalCharsMax} characters`,
      hint: "a shorter one would be cut out of other words; a longer one can be named by a part of it",
    });
  }
  return faults;
}

/**
 * Makes literals ready for a scan, each as it is and as it stands in JSON (also in JSON inside
 * JSON, and with its characters as `\uXXXX`) and in a URL. Its placeholder is the same in each.
 */
export function searchLiterals(literals: readonly string[]): LiteralSearch {
  const rules: ScannerRule[] = [];
  const bare = new Map<number, Written[]>();
  for (const written of new Set(literals)) {
    for (const way of waysToWrite(written)) {
      const rule = ruleOf(way);
      if (rule !== undefined) {
        rules.push(rule);
        continue;
      }
      const first = way.text.charCodeAt(0);
      bare.set(first, [...(bare.get(first) ?? []), way]);
    }
  }
  const hasNumber = literals.some((literal) => /^-?[\d.]+$/.test(literal));
  return { rules, bare, hasNumber };
}

/** Searches for literals that no anchor stands for, all in one walk. */
export function scanBareLiterals(scan: Scan, { bare }: LiteralSearch): void {
  if (bare.size === 0) return;
  const { text } = scan;
  spend(scan, text.length);
  for (let at = 0; at < text.length; at++) {
    for (const written of bare.get(text.charCodeAt(at)) ?? []) {
      spend(scan, written.text.length);
      if (text.startsWith(written.text, at)) note(scan, written, at);
    }
  }
}

function waysToWrite(literal: string): readonly Written[] {
  const ways = new Map<string, Layer>([[literal, "plain"]]);
  const add = (text: string, layer: Layer): void => {
    if (!ways.has(text)) ways.set(text, layer);
  };
  const json = jsonInside(literal);
  for (const text of [json, jsonInside(json), asciiJson(json)]) add(text, "json");
  const percent = percentOf(literal);
  if (percent !== undefined) {
    add(percent, "percent");
    add(
      percent.replaceAll(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
      "percent",
    );
    add(percent.replaceAll("%20", "+"), "percent");
  }
  return [...ways].map(([text, layer]) => ({ literal, text, layer }));
}

function jsonInside(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiJson(json: string): string {
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Nothing where the text is no Unicode: half of a surrogate pair cannot be encoded. */
function percentOf(text: string): string | undefined {
  try {
    return encodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function ruleOf(written: Written): ScannerRule | undefined {
  const anchor = anchorIn(written.text);
  if (anchor === undefined) return undefined;
  const offset = written.text.indexOf(anchor);
  return {
    id: literalKind,
    kind: literalKind,
    priority: 0,
    source: "a user's own literal",
    anchors: [anchor],
    scan: (scan, hit) => {
      const start = hit.start - offset;
      spend(scan, written.text.length);
      if (start >= 0 && scan.text.startsWith(written.text, start)) note(scan, written, start);
    },
  };
}

/** The beginning of the longest stretch of printable ASCII. */
function anchorIn(text: string): string | undefined {
  let longest = "";
  for (const [stretch] of text.matchAll(/[\x20-\x7e]{2,}/g)) {
    if (stretch.length > longest.length) longest = stretch;
  }
  return longest === "" ? undefined : longest.slice(0, anchorCharsMax);
}

function note(scan: Scan, { literal, text, layer }: Written, start: number): void {
  const found: Candidate = {
    start,
    end: start + text.length,
    kind: literalKind,
    ruleId: literalKind,
    rank: literalRank,
    label: literalKind,
    canonical: literal,
    confidence: "high",
    layer,
    // A name of a customer or a host is guessed in no time.
    isGuessable: true,
  };
  scan.candidates.push(found);
}
