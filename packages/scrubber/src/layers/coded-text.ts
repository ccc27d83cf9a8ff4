import type { Layer } from "../finding.ts";
import type { Window } from "../rescan.ts";
import { type Candidate, type Scan, shapedRank, spend } from "../scan.ts";
import type { Span } from "../spans.ts";
import { type CodedMark, codedMarks, markAt } from "./coded-marks.ts";
import { type CodedView, openView, showBehind } from "./coded-view.ts";
import type { LookInside } from "./encoded-runs.ts";

/** Coded characters that are further apart are looked at apart. */
const gapCharsMax = 512;
/** How much of its line is looked at before and after coded characters. */
const reachCharsMax = 256;
/** How much further to the end of a word. */
const wordCharsMax = 2048;
/** Rank over what the same stretch is as it stands there. */
const shownRank = 1;

/**
 * Finds what percent-encoding, entities and coded escapes hide. Stretches with coded characters
 * are scanned as what they stand for, and only the secret itself goes.
 */
export function findInCoded(scan: Scan, lookInside: LookInside): void {
  if (scan.text.length < shortCharsMax && !mayHoldMarks(scan.text)) return;
  const found: Candidate[] = [];
  let marks: CodedMark[] = [];
  let floor = 0;
  const flush = (next: number): void => {
    const view = viewOf(scan.text, marks, { floor, next });
    floor = view.end;
    if (!isLookedAt(scan, view)) return;
    spend(scan, view.end - view.start);
    for (const span of lookInside(view.text)) note(scan, found, view, span);
  };
  for (const mark of codedMarks(scan.text)) {
    spend(scan, mark.end - mark.start);
    const last = marks.at(-1);
    if (last !== undefined && mark.start - last.end > gapCharsMax) {
      flush(mark.start);
      marks = [];
    }
    marks.push(mark);
  }
  if (marks.length > 0) flush(scan.text.length);
  if (found.length > 0) replace(scan, found);
}

/** Most texts of JSON are so short that one look at each character is the quickest. */
const shortCharsMax = 64;

/** Whether a text holds a character that a coded one begins with, or that joins two texts. */
function mayHoldMarks(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 37 || code === 38 || code === 43 || code === 92 || code === 27 || code > 127) {
      return true;
    }
  }
  return false;
}

/** Whether a window of the scan holds a part of the view. */
function isLookedAt({ windows }: Scan, { start, end }: CodedView): boolean {
  if (windows === undefined) return true;
  let low = 0;
  let high = windows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((windows[middle] as Window).end > start) high = middle;
    else low = middle + 1;
  }
  const window = windows[low];
  return window !== undefined && window.start < end;
}

function viewOf(
  text: string,
  marks: readonly CodedMark[],
  { floor, next }: { floor: number; next: number },
): CodedView {
  const first = marks[0] as CodedMark;
  const last = marks.at(-1) as CodedMark;
  const start = lineStart(text, first.start, floor);
  return openView(text, { start, end: wordEnd(text, last.end, next) }, marks);
}

function lineStart(text: string, at: number, floor: number): number {
  const from = Math.max(floor, at - reachCharsMax);
  const window = text.slice(from, at);
  const line = window.lastIndexOf("\n");
  if (line >= 0 || from === floor) return from + line + 1;
  // In mid-line: from the first blank on, so that no word begins in its middle.
  const blank = window.search(/\s/);
  return blank < 0 ? at : from + blank;
}

function wordEnd(text: string, at: number, next: number): number {
  const reach = Math.min(next, at + reachCharsMax);
  const line = text.slice(at, reach + 1).indexOf("\n");
  if (line >= 0) return at + line;
  const stop = Math.min(next, reach + wordCharsMax);
  const blank = text.slice(reach, stop).search(/\s/);
  return blank < 0 ? stop : reach + blank;
}

/** A private tag is one as it stands, and stays text where it is shown as text. */
const privateKind = "private";

function note({ text }: Scan, found: Candidate[], view: CodedView, span: Span): void {
  const shown = showBehind(view, span.start, span.end);
  const isCut =
    shown.end === view.end && view.end < text.length && !/\s/.test(text[view.end] ?? "");
  if (isCut || span.kind === privateKind) return;
  const { lead } = span;
  found.push({
    start: shown.start,
    end: shown.end,
    kind: span.kind,
    ruleId: lead.ruleId,
    rank: lead.rank + shownRank,
    label: span.label,
    canonical: span.canonical,
    confidence: lead.confidence,
    layer: shown.layer,
    valid: lead.valid,
    isGuessable: lead.isGuessable,
    quote: lead.quote === undefined ? undefined : codedQuote(shown.layer, lead.quote),
  });
}

function codedQuote(layer: Layer, quote: string): string {
  if (layer === "percent") return encodeURIComponent(quote);
  return layer === "html" ? quote.replaceAll('"', "&quot;") : quote;
}

/** Puts what was found beside what the scan has, and in the place of what it read too far. */
function replace(scan: Scan, found: readonly Candidate[]): void {
  const { text } = scan;
  spend(scan, scan.candidates.length + found.length);
  const shaped = new Map(
    scan.candidates.filter(({ rank }) => rank >= shapedRank).map((each) => [placeOf(each), each]),
  );
  const kept = scan.candidates.filter((each) => {
    if (each.rank >= shapedRank || !endsMark(text, each.start)) return true;
    const inside = firstWithin(found, each);
    return inside === undefined || !endsValue(text, inside.end, each.end);
  });
  scan.candidates.length = 0;
  for (const each of kept) scan.candidates.push(each);
  for (const each of found) {
    // A shape that stands as it is needs no layer.
    const known = shaped.get(placeOf(each));
    const plain = known?.canonical ?? text.slice(each.start, each.end);
    if (known === undefined || plain !== each.canonical) scan.candidates.push(each);
  }
}

function placeOf({ start, end }: Candidate): string {
  return `${start}-${end}`;
}

function firstWithin(
  found: readonly Candidate[],
  { start, end }: Candidate,
): Candidate | undefined {
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((found[middle] as Candidate).start >= start) high = middle;
    else low = middle + 1;
  }
  const first = found[low];
  return first !== undefined && first.end <= end ? first : undefined;
}

/** Whether a coded character ends right before `index`. */
function endsMark(text: string, index: number): boolean {
  const from = Math.max(0, index - 8);
  for (let at = index - 3; at >= from; at--) {
    if (markAt(text, at)?.end === index) return true;
  }
  return false;
}

/** Whether the value ends at `at`: nothing of `end` is left, or a coded mark that ends values. */
function endsValue(text: string, at: number, end: number): boolean {
  if (at >= end) return true;
  const next = markAt(text, at)?.out;
  return next !== undefined && /^[\s"'`;,|&<>{}()[\]\\]/.test(next);
}
