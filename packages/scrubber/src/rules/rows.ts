import type { CharClass } from "../chars.ts";
import { type NamedKind, openMax, type Part, type Priority, run, type TokenKind } from "../rule.ts";
import { unknownSource } from "./sources.ts";

/**
 * A kind of token that is one run of one class after its anchor: kind, anchors parted by blanks,
 * class, least and most length (`openMax` where 0), and the page that describes it.
 */
export type PrefixRow = readonly [
  kind: string,
  anchors: string,
  charClass: CharClass,
  min: number,
  max?: number,
  source?: string,
];

/** A named kind: kind, words of the name parted by blanks, shapes, and the page. */
export type NamedRow = readonly [
  kind: string,
  words: string,
  shapes: readonly (readonly Part[])[],
  source?: string,
];

/** Writes rows out as entries of the catalogue. */
export function prefixKinds(priority: Priority, rows: readonly PrefixRow[]): readonly TokenKind[] {
  return rows.map(([kind, anchors, charClass, min, max = 0, source = unknownSource]) => ({
    kind,
    priority,
    source,
    anchors: anchors.split(" "),
    body: [run(charClass, min, max || openMax)],
  }));
}

/** Writes rows out as named kinds. */
export function namedKinds(priority: Priority, rows: readonly NamedRow[]): readonly NamedKind[] {
  return rows.map(([kind, words, shapes, source = unknownSource]) => ({
    kind,
    priority,
    source,
    words: words.split(" "),
    shapes,
  }));
}
