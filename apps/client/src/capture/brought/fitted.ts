import type { Brought } from "./brought.ts";

/** How much of one part a piece may hold; below what is stored, as a title's count is added. */
const pieceLimits = { narrativeCharsMax: 5_000, factCharsMax: 340, factsMax: 60 } as const;

/**
 * Something as pieces that can be stored whole: a long text is parted where its paragraphs end, a long
 * list where it is full, so that nothing is cut off. What fits is its only piece.
 */
export function fitted(entry: Brought): readonly Brought[] {
  const { factCharsMax, factsMax, narrativeCharsMax } = pieceLimits;
  const short = entry.facts.filter((fact) => fact.length <= factCharsMax);
  const long = entry.facts.filter((fact) => fact.length > factCharsMax);
  const narrative = [entry.narrative, ...long].filter((text) => text !== "").join("\n\n");
  const texts = parted(narrative, narrativeCharsMax);
  const lists = chunks(short, factsMax);
  const count = Math.max(texts.length, lists.length, 1);
  return Array.from({ length: count }, (_, index) => ({
    ...entry,
    title: count === 1 ? entry.title : `${entry.title} (${index + 1}/${count})`,
    narrative: texts[index] ?? "",
    facts: lists[index] ?? [],
  }));
}

function parted(text: string, charsMax: number): readonly string[] {
  if (text.length <= charsMax) return text === "" ? [] : [text];
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > charsMax) {
    const end = endOf(rest, charsMax);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^\n+/u, "");
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== "");
}

/** Where a piece ends best: before a heading, a paragraph, a line, a word. */
function endOf(text: string, charsMax: number): number {
  const head = text.slice(0, charsMax);
  for (const mark of ["\n#", "\n\n", "\n", " "]) {
    const at = head.lastIndexOf(mark);
    if (at > charsMax / 2) return at;
  }
  return /[\uD800-\uDBFF]$/u.test(head) ? charsMax - 1 : charsMax;
}

function chunks(members: readonly string[], max: number): readonly (readonly string[])[] {
  const count = Math.ceil(members.length / max);
  return Array.from({ length: count }, (_, index) => members.slice(index * max, (index + 1) * max));
}
