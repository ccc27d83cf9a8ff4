import { placeholderEndAt, placeholderStart } from "./placeholder.ts";
import { namedLabel, type Scan, spend } from "./scan.ts";
import type { Span } from "./spans.ts";

/** What ends a word: blanks, quotes, escapes, and the marks between members of lists. */
const ends = " \t\r\n\f\v\"'`\\<>()[]{},;";

/**
 * Widens each span to the word it stands in, or what placeholders leave of it. Secrets that are
 * glued to one another come to light one by one, each where the one beside it has gone; after some
 * passes the rest of such a word goes with the one found in it, so that a long one is not withheld
 * with all that is around it.
 */
export function widenToWords(scan: Scan, spans: readonly Span[]): readonly Span[] {
  const { text } = scan;
  const wide: Span[] = [];
  let covered = 0;
  for (const span of spans) {
    if (span.start < covered) continue;
    const start = wordStart(text, span.start, covered);
    const end = wordEnd(text, span.end);
    spend(scan, end - start);
    covered = end;
    const isAsFound = start === span.start && end === span.end;
    const canonical = text.slice(start, end);
    wide.push(isAsFound ? span : { ...span, start, end, label: namedLabel, canonical });
  }
  return wide;
}

function wordStart(text: string, from: number, floor: number): number {
  let start = from;
  while (start > floor && !ends.includes(text[start - 1] ?? " ")) start--;
  const inside = text.slice(start, from).lastIndexOf(placeholderStart);
  return inside < 0 ? start : Math.max(start, placeholderEndAt(text, start + inside));
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !ends.includes(text[end] ?? " ")) end++;
  const inside = text.slice(from, end).indexOf(placeholderStart);
  return inside < 0 ? end : from + inside;
}
