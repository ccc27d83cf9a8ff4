import { bitsAt, charClasses } from "../chars.ts";
import { isMixed, looksRandom } from "../checks/randomness.ts";
import { type Scan, shapedRank, spend } from "../scan.ts";
import type { Span } from "../spans.ts";
import type { LookInside } from "./encoded-runs.ts";

/** Columns at which terminals, mail programs and logs break lines. */
const columns: ReadonlySet<number> = new Set([
  64, 70, 72, 74, 75, 76, 77, 78, 79, 80, 96, 98, 99, 100, 110, 118, 119, 120, 128, 130, 132, 140,
  150, 158, 159, 160, 180, 199, 200, 220, 240, 250, 255, 256,
]); // prettier-ignore
/** Shorter lines are full only where one beside them is as long. */
const columnMin = 40;
const columnMax = 512;
/** Characters of a broken token that are left on its first and last line. */
const headCharsMin = 6;
const tailCharsMin = 3;
const tailCharsMax = 4096;
const linesMax = 64;
/** Characters that are joined for each of the text; after that one more line has to do. */
const joinedPerCharMax = 1;
const joinedCharsMin = 4096;
const tokenMask = charClasses.token68;
const lineFeed = 10;
const carriageReturn = 13;

interface Piece {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds tokens that were broken where a line was full. Looks on from where a rule for a shape met
 * a line's end; the line has to end at a usual column, or with the line above or below it.
 */
export function findBroken(scan: Scan, lookInside: LookInside): void {
  if (scan.breaks === undefined) return;
  const ends = new Set(
    scan.candidates.filter(({ rank }) => rank >= shapedRank).map(({ end }) => end),
  );
  // Where many lines end in what may go on, each would be joined to all that follow.
  let left = joinedPerCharMax * scan.text.length + joinedCharsMin;
  for (const at of scan.breaks) {
    const pieces = piecesAt(scan, at, left > 0 ? linesMax : 1);
    if (pieces === undefined) continue;
    for (const { start, end } of pieces) left -= end - start;
    for (const found of joined(scan, pieces, lookInside)) {
      if (goesOn(scan, ends.has(at), { pieces, end: found.end })) scan.candidates.push(found);
    }
  }
}

/** The parts of the word that the end of a line at `at` breaks, if the line is full. */
function piecesAt(scan: Scan, at: number, countMax: number): readonly Piece[] | undefined {
  const { text } = scan;
  let start = at;
  while (at - start < columnMax && (bitsAt(text, start - 1) & tokenMask) !== 0) start--;
  const lineStart = startOfLine(text, at);
  spend(scan, at - lineStart + 1);
  const width = at - lineStart;
  if (at - start < headCharsMin || width < columnMin || width >= columnMax) return undefined;
  const below = piecesBelow(scan, { at, width, countMax });
  const [tail] = below;
  if (tail === undefined || tail.end - tail.start < tailCharsMin) return undefined;
  const isFull = columns.has(width) || hasEqual(text, lineStart, width);
  return isFull ? [{ start, end: at }, ...below] : undefined;
}

/** Where the line begins, if that is not too far. */
function startOfLine(text: string, at: number): number {
  let start = at;
  while (at - start < columnMax && start > 0 && text.charCodeAt(start - 1) !== lineFeed) start--;
  return start;
}

/** How the word goes on: over every line that it fills, into the one that it does not. */
function piecesBelow(
  scan: Scan,
  { at, width, countMax }: { at: number; width: number; countMax: number },
): readonly Piece[] {
  const { text } = scan;
  const pieces: Piece[] = [];
  for (let end = at; pieces.length < countMax;) {
    const start = afterLineEnd(text, end);
    end = start;
    while (end - start < tailCharsMax && (bitsAt(text, end) & tokenMask) !== 0) end++;
    spend(scan, end - start + 1);
    if (end > start) pieces.push({ start, end });
    if (end - start !== width || !isLineEnd(text, end)) break;
  }
  return pieces;
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === lineFeed || code === carriageReturn;
}

function afterLineEnd(text: string, at: number): number {
  return text.charCodeAt(at) === carriageReturn ? at + 2 : at + 1;
}

/** Whether the line before or after the one at `lineStart` is as wide. */
function hasEqual(text: string, lineStart: number, width: number): boolean {
  const isLine = (start: number): boolean =>
    start >= 0 &&
    (start === 0 || text.charCodeAt(start - 1) === lineFeed) &&
    isLineEnd(text, start + width) &&
    !text.slice(start, start + width).includes("\n");
  const before = lineStart - (text.charCodeAt(lineStart - 2) === carriageReturn ? 2 : 1);
  return isLine(before - width) || isLine(afterLineEnd(text, lineStart + width));
}

/** Looks at the parts as one word, and gives what goes over the end of a line. */
function joined(scan: Scan, pieces: readonly Piece[], lookInside: LookInside): Scan["candidates"] {
  const { text } = scan;
  const [head] = pieces as readonly [Piece];
  // What stands before and after decides on whether a token may begin and end there.
  const lead = head.start > 0 ? 1 : 0;
  const last = (pieces.at(-1) ?? head).end;
  const word = pieces.map(({ start, end }) => text.slice(start, end)).join("");
  const whole = text.slice(head.start - lead, head.start) + word + text.slice(last, last + 1);
  const split = lead + head.end - head.start;
  return lookInside(whole).flatMap((span) => {
    const isShaped = span.lead.rank >= shapedRank && span.lead.layer === "plain";
    if (!isShaped || span.start >= split || span.end <= split) return [];
    return [candidateOf(span, head.start + span.start - lead, placeOf(pieces, span.end - lead))];
  });
}

/** Where in the text the parts' character before `index` ends. */
function placeOf(pieces: readonly Piece[], index: number): number {
  let left = index;
  for (const { start, end } of pieces) {
    if (left <= end - start) return start + left;
    left -= end - start;
  }
  return (pieces.at(-1)?.end ?? 0) + left;
}

function candidateOf(
  { lead, kind, label, canonical }: Span,
  start: number,
  end: number,
): Scan["candidates"][number] {
  return {
    start,
    end,
    kind,
    ruleId: lead.ruleId,
    rank: lead.rank + 1,
    label,
    canonical,
    confidence: lead.confidence,
    layer: "wrapped",
    valid: lead.valid,
    isShared: lead.isShared,
  };
}

/**
 * Whether the next line's first word belongs to the token: without it there was none, or no word of
 * a text or a name of a setting looks like it.
 */
function goesOn(
  { text }: Scan,
  hasOne: boolean,
  { pieces, end }: { readonly pieces: readonly Piece[]; readonly end: number },
): boolean {
  if (!hasOne) return true;
  if ("=:".includes(text[end] ?? "x")) return false;
  const word = text.slice(pieces[1]?.start, end);
  return isMixed(word) || looksRandom(word);
}
