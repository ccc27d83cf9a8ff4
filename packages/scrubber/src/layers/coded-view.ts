import type { Layer } from "../finding.ts";
import type { CodedMark } from "./coded-marks.ts";

/** A stretch of a text with its coded characters undone, and the way back. */
export interface CodedView {
  readonly text: string;
  /** The stretch that it shows. */
  readonly start: number;
  readonly end: number;
  readonly marks: readonly CodedMark[];
  /** Where in the view each mark's characters begin. */
  readonly places: readonly number[];
}

/** Shows a stretch of a text as its marks, which lie in it in order, stand for it. */
export function openView(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  marks: readonly CodedMark[],
): CodedView {
  const parts: string[] = [];
  const places: number[] = [];
  let from = start;
  let length = 0;
  for (const mark of marks) {
    parts.push(text.slice(from, mark.start), mark.out);
    places.push(length + mark.start - from);
    length += mark.start - from + mark.out.length;
    from = mark.end;
  }
  parts.push(text.slice(from, end));
  return { text: parts.join(""), start, end, marks, places };
}

/** A stretch of the text that a view shows, and the layer that hid it. */
export interface Shown {
  readonly start: number;
  readonly end: number;
  readonly layer: Layer;
}

/** Gives the stretch of the text behind a stretch of a view; coded characters are left whole. */
export function showBehind(view: CodedView, start: number, end: number): Shown {
  const first = lastAt(view, start);
  const last = lastAt(view, end - 1);
  const nearest = view.marks[Math.max(0, first)] as CodedMark;
  return {
    start: behind(view, first, start, "start"),
    end: behind(view, last, end - 1, "end"),
    layer: nearest.layer,
  };
}

/** Number of the last mark that begins at or before a place of the view, or -1. */
function lastAt({ places }: CodedView, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as number) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where the character of a view at `place` begins or ends in the text. */
function behind(view: CodedView, index: number, place: number, side: "start" | "end"): number {
  const mark = view.marks[index];
  if (mark === undefined) return view.start + place + (side === "end" ? 1 : 0);
  const past = place - (view.places[index] as number) - mark.out.length;
  if (past < 0) return mark[side];
  return mark.end + past + (side === "end" ? 1 : 0);
}
