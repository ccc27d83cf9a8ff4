import { secretsOf } from "../corpus/case.ts";
import type { Labelled } from "../corpus/marks.ts";

/** Characters that stood around the secrets, and how many of them are gone. */
export interface Surroundings {
  readonly chars: number;
  readonly destroyed: number;
}

/**
 * Compares what stood around the secrets of a text with what is left of it, word by word and mark
 * by mark; blanks do not count, nor what may go with a secret.
 */
export function compareSurroundings(
  { text, spans }: Labelled,
  output: string,
  placeholder: RegExp,
): Surroundings {
  const covered = new Uint8Array(text.length);
  for (const { label, start, end } of spans) if (label !== "must") covered.fill(1, start, end);
  let around = "";
  for (let at = 0; at < text.length; at++) around += covered[at] === 1 ? "\0" : text[at];
  const before = tokensOf(around);
  // A secret that is still there is no part of the words beside it either.
  const bare = secretsOf({ text, spans }).reduce(
    (left, each) => left.replaceAll(each, "\0"),
    output,
  );
  const after = tokensOf(bare.replaceAll(placeholder, "\0"));
  const chars = lengthOf(before);
  return { chars, destroyed: chars - commonLength(before, after) };
}

function tokensOf(text: string): readonly string[] {
  return text.match(/[A-Za-z0-9_]+|[^\sA-Za-z0-9_\0]/g) ?? [];
}

function lengthOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + token.length, 0);
}

/** The weight of the longest common subsequence. */
function commonLength(left: readonly string[], right: readonly string[]): number {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd--;
    rightEnd--;
  }
  const same = lengthOf(left.slice(0, start)) + lengthOf(left.slice(leftEnd));
  const columns = right.slice(start, rightEnd);
  let row = new Float64Array(columns.length + 1);
  for (const token of left.slice(start, leftEnd)) {
    const next = new Float64Array(columns.length + 1);
    columns.forEach((other, at) => {
      const taken = token === other ? (row[at] ?? 0) + token.length : 0;
      next[at + 1] = Math.max(taken, row[at + 1] ?? 0, next[at] ?? 0);
    });
    row = next;
  }
  return same + (row.at(-1) ?? 0);
}
