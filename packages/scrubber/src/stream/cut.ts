import type { ScrubbedResult, Scrubber } from "../scrubber.ts";

/** Characters on either side of a cut that are scrubbed together and apart, and must agree. */
export const contextCharsMax: number = 20_480;

/** Longest line, in code units, that is never cut. */
export const wholeLineCharsMax: number = 65_536;

/** How far back an open private key is looked for. */
const armourCharsMax = 131_072;
const openings = "PRIVATE KEY";
const closing = "-----END";

/**
 * Gives the place at or after `target` where a text may be cut: the next line end within `window`
 * characters, else a place between words, else the target itself, never inside a surrogate pair.
 */
export function placeToCut(text: string, target: number, window: number): number {
  const line = text.slice(target, target + window).indexOf("\n");
  if (line >= 0) return target + line + 1;
  const gap = text.slice(target, target + 1024).search(/[\s,;>)}\]]/);
  const place = gap < 0 ? target : target + gap + 1;
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place + 1 : place;
}

/** What a look around a cut has shown. */
export interface CutLook {
  /** Nothing is known across the cut. */
  readonly isSafe: boolean;
  /** Where what lies across it ends, if that is known. */
  readonly next: number | undefined;
}

/**
 * Looks whether what stands around a cut is rewritten alike in one piece and in two, as far back
 * as an open private key begins.
 */
export function lookAroundCut(scrub: Scrubber["scrub"], text: string, cut: number): CutLook {
  const from = Math.min(Math.max(0, cut - contextCharsMax), armourStart(text, cut));
  const left = text.slice(from, cut);
  const right = text.slice(cut, cut + contextCharsMax);
  const joined = scrub(left + right);
  const across = joined.findings.find(
    ({ path, start, end }) => path === undefined && from + start < cut && from + end > cut,
  );
  if (across !== undefined) return { isSafe: false, next: from + across.end };
  const isSafe = joined.text === scrub(left).text + scrub(right).text;
  return { isSafe, next: undefined };
}

function armourStart(text: string, cut: number): number {
  const from = Math.max(0, cut - armourCharsMax);
  const before = text.slice(from, cut);
  const opening = before.lastIndexOf(openings);
  if (opening < 0 || before.includes(closing, opening)) return cut;
  return from + Math.max(0, opening - 64);
}

/** Where a private tag that a text leaves open begins, or nothing if it leaves none open. */
export function openPrivateStart(text: string, { findings }: ScrubbedResult): number | undefined {
  const last = findings.findLast(({ kind }) => kind === "private");
  if (last === undefined || last.end !== text.length) return undefined;
  return privateDepth(text.slice(last.start)) > 0 ? last.start : undefined;
}

/** How many private tags a text opens and does not close. */
export function privateDepth(text: string): number {
  return readTags(text, 0, 0).depth;
}

/** Reads tags from a place on, inside of `depth` private ones, to where all are closed. */
export function readTags(
  text: string,
  from: number,
  depth: number,
): { readonly depth: number; readonly end: number } {
  const tags = /<(\/?)private>/gi;
  tags.lastIndex = from;
  let open = depth;
  let end = from;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    end = tags.lastIndex;
    open += tag[1] === "" ? 1 : -1;
    if (open <= 0) return { depth: 0, end };
  }
  return { depth: open, end };
}
