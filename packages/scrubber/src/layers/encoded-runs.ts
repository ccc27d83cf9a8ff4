import { charClasses, isAt } from "../chars.ts";
import { skipEscapeTail } from "../escapes.ts";
import { type Candidate, namedLabel, type Scan, spend } from "../scan.ts";
import type { Span } from "../spans.ts";
import { type Code, decodePiece, startDecoding } from "./decode.ts";
import { mayBeText } from "./first-bytes.ts";
import {
  afterPadding,
  endOfRun,
  isHex,
  nextLine,
  nextRun,
  type Run,
  runCharsMin,
  startOfRuns,
} from "./runs.ts";
import { textOfSink } from "./text-sink.ts";

/** Scans what was decoded out of a scan as a text of its own. */
export type LookInside = (decoded: string) => readonly Span[];

interface Decoded extends Run {
  readonly code: Code;
  readonly text: string;
}

const hexCharsMin = 32;
/** Rank over what the same stretch is by its name or its first characters. */
const insideRank = 1;

/**
 * Finds what is written in base64 or hex, in lines or in one, and holds a secret; such a run goes
 * as a whole. Binary files and hashes are given up at their first bytes.
 */
export function findInRuns(scan: Scan, lookInside: LookInside): void {
  const { text } = scan;
  if (text.length < runCharsMin) return;
  let wrapped: ReadonlyMap<number, Candidate> | undefined;
  let at = 0;
  for (const window of scan.windows ?? [{ start: 0, end: text.length }]) {
    at = startOfRuns(text, window.start, at);
    spend(scan, Math.max(0, window.end - at) >> 2);
    for (
      let start = nextRun(text, at);
      start >= 0 && start < window.end;
      start = nextRun(text, at)
    ) {
      at = endOfRun(text, Math.max(at, start) + runCharsMin);
      spend(scan, at - start);
      const decoded = decodeRun(scan, start, at);
      if (decoded === undefined) continue;
      at = decoded.end;
      const spans = lookInside(decoded.text);
      if (spans.length > 0) {
        wrapped ??= wrappedIn(scan);
        scan.candidates.push(candidateOf(decoded, spans, wrapped.get(decoded.start)));
      }
    }
  }
}

/** What rules for wrapped secrets have found, by where it begins. */
function wrappedIn(scan: Scan): ReadonlyMap<number, Candidate> {
  const found = scan.candidates.filter(({ layer }) => layer === "base64");
  return new Map(found.map((each) => [each.start, each]));
}

/** Tries the run from its start, then from where a path, a mark or a cut leaves it to begin. */
function decodeRun(scan: Scan, runStart: number, end: number): Decoded | undefined {
  const { text } = scan;
  const start = trueStart(text, runStart, end);
  if (mayBeText(text, start)) {
    return isTokenPart(text, start, end) ? undefined : decodeLines(scan, start, end);
  }
  const other = otherStart(text, start, end);
  if (other >= 0) return mayBeText(text, other) ? decodeLines(scan, other, end) : undefined;
  if (!isCutOff(text, runStart) || end - start < runCharsMin + 4) return undefined;
  for (let shift = 1; shift < 4; shift++) {
    if (mayBeText(text, start + shift)) return decodeLines(scan, start + shift, end);
  }
  return undefined;
}

/** Parts of a web token are looked at by a rule of their own. */
function isTokenPart(text: string, start: number, end: number): boolean {
  if (!text.startsWith("eyJ", start)) return false;
  return text[start - 1] === "." || (text[end] === "." && isAt(text, end + 1, charClasses.word));
}

/** Passes the letters of an escape or a colour, and the `0x` or `x` before digits. */
function trueStart(text: string, start: number, end: number): number {
  const isLed = isLeadSign(text.charCodeAt(start - 1));
  if (!isLed && (text.charCodeAt(start) !== zero || text[start + 1] !== "x")) return start;
  const isUnicode = text[start - 1] === "\\" && text[start] === "u";
  const at = isUnicode ? start + 5 : isLed ? skipEscapeTail(text, start, end) : start + 2;
  const isBytes = text[at - 1] === "\\" && text[at] === "x";
  const from = isBytes ? at + 1 : at;
  return end - from < runCharsMin ? start : from;
}

const zero = 48;

/** A backslash, a bracket, a percent sign or a semicolon, which may begin what is no part of it. */
function isLeadSign(code: number): boolean {
  return code === 92 || code === 91 || code === 37 || code === 59;
}

const leadCharsMax = 64;
const underscore = 95;

/** The sign of an added line, and the words of a path or a flag, are no part of what is encoded. */
function otherStart(text: string, start: number, end: number): number {
  const stop = Math.min(end - runCharsMin, start + leadCharsMax);
  for (let at = stop; at >= start; at--) {
    const code = text.charCodeAt(at);
    if (code < 48 || code === underscore) return Math.min(at + 1, end - runCharsMin);
  }
  return -1;
}

function isCutOff(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (before !== ellipsis && before !== dot) return start === 0;
  return before === ellipsis || text.startsWith("...", start - 3);
}

const ellipsis = 0x2026;
const dot = 46;

/**
 * Decodes the run and the lines in which it goes on, as far as they are of a text. A line is looked
 * for when the one before has been read: where each line begins a run that is none, looking for all
 * of them each time would cost the square of their number.
 */
function decodeLines(scan: Scan, start: number, runEnd: number): Decoded | undefined {
  const { text } = scan;
  const code = codeOf(text, start, runEnd);
  if (code === undefined) return undefined;
  const decoding = startDecoding(code);
  const isMarked = text[start - 1] === "+";
  let end = -1;
  let line: Run | undefined = { start, end: runEnd };
  for (let count = 1; line !== undefined; count++) {
    spend(scan, line.end - line.start);
    if (!decodePiece(decoding, text, line.start, line.end)) break;
    end = code === "hex" ? line.end : afterPadding(text, line.end);
    line = lineAfter(text, line, { code, count, isMarked });
  }
  return end < 0 ? undefined : { start, end, code, text: textOfSink(decoding.sink) };
}

/** Digits of hex alone are no base64, and too few or an odd number of them are no text. */
function codeOf(text: string, start: number, end: number): Code | undefined {
  if (!isHex(text, start, end)) return "base64";
  return end - start < hexCharsMin || (end - start) % 2 === 1 ? undefined : "hex";
}

/** Shortest last line of a run in lines. */
const lastLineCharsMin = 2;

/** The line in which a run goes on, if it does; `isMarked` lines begin with the sign of a diff. */
function lineAfter(
  text: string,
  last: Run,
  { code, count, isMarked }: { code: Code; count: number; isMarked: boolean },
): Run | undefined {
  if (last.end - last.start < runCharsMin || text[last.end] === "=") return undefined;
  const next = nextLine(text, last.end);
  if (next < 0) return undefined;
  const start = isMarked && text[next] === "+" ? next + 1 : next;
  const line = { start, end: endOfRun(text, start) };
  const length = line.end - line.start;
  if (length < lastLineCharsMin || length > longestAfter(last, count)) return undefined;
  return code === "hex" && !isHex(text, line.start, line.end) ? undefined : line;
}

/** The first line may begin further right than those that follow. */
function longestAfter({ start, end }: Run, count: number): number {
  return count === 1 ? 4 * (end - start) : end - start;
}

/** The run as a whole; `known` is what a rule for wrapped secrets calls it. */
function candidateOf(
  { start, end, code }: Decoded,
  spans: readonly Span[],
  known: Candidate | undefined,
): Candidate {
  const [first] = spans;
  const best = spans.reduce((left, right) => (right.lead.rank > left.lead.rank ? right : left));
  const isOne = spans.every(({ canonical }) => canonical === first?.canonical);
  return {
    start,
    end,
    kind: known?.kind ?? best.kind,
    ruleId: known?.ruleId ?? best.lead.ruleId,
    rank: Math.max(best.lead.rank, known?.rank ?? 0) + insideRank,
    label: isOne ? best.label : namedLabel,
    canonical: isOne ? best.canonical : spans.map(({ canonical }) => canonical).join("\n"),
    confidence: best.lead.confidence,
    layer: code,
    valid: best.lead.valid,
    isGuessable: best.lead.isGuessable,
  };
}
