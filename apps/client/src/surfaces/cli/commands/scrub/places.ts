import type { Finding } from "@tidemark/scrubber";

/** A place in a text: lines and columns count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A finding and where it stands. `end` is absent where the length says too much. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly start: Place;
  readonly end?: Place;
}

/**
 * Gives findings, in order, their lines and columns. Reads the text once more, in pieces, so that
 * nothing of it is kept.
 */
export function placeFindings(
  findings: readonly Finding[],
  chunks: Iterable<string>,
): readonly PlacedFinding[] {
  const sorted = findings.toSorted(
    (left, right) => left.start - right.start || left.end - right.end,
  );
  const places = placesOf(
    sorted.flatMap(({ start, end }) => [start, end]),
    chunks,
  );
  return sorted.map((finding) => {
    const start = places.get(finding.start) ?? { line: 1, column: 1 };
    const end = places.get(finding.end);
    return tellsLength(finding) || end === undefined ? { finding, start } : { finding, start, end };
  });
}

/** Of a person's data not even the length is told; nor of what somebody has marked or named. */
function tellsLength({ kind, ruleId }: Finding): boolean {
  return ruleId.startsWith("personal:") || kind === "private" || kind === "literal";
}

function placesOf(
  offsets: readonly number[],
  chunks: Iterable<string>,
): ReadonlyMap<number, Place> {
  const wanted = [...new Set(offsets)].toSorted((left, right) => left - right);
  const places = new Map<number, Place>();
  let next = 0;
  let base = 0;
  let line = 1;
  let lineStart = 0;
  const placeUpTo = (end: number): void => {
    for (; next < wanted.length && (wanted[next] as number) <= end; next++) {
      const offset = wanted[next] as number;
      places.set(offset, { line, column: offset - lineStart + 1 });
    }
  };
  for (const chunk of chunks) {
    if (next === wanted.length) break;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) {
      placeUpTo(base + at);
      line += 1;
      lineStart = base + at + 1;
    }
    base += chunk.length;
  }
  placeUpTo(Number.POSITIVE_INFINITY);
  return places;
}
