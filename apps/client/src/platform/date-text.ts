/** A wall time as ISO 8601 in UTC, to the second; `unknown` for what no calendar has. */
export function dateText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "unknown" : `${date.toISOString().slice(0, 19)}Z`;
}

/**
 * The wall time of a date or a time in ISO 8601, in milliseconds; undefined for anything else. A date
 * alone begins at midnight in UTC, and a time without a zone is this machine's.
 */
export function dateMs(text: string): number | undefined {
  if (
    !/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/u.test(text)
  ) {
    return undefined;
  }
  const ms = Date.parse(text.replace(" ", "T"));
  return Number.isNaN(ms) ? undefined : ms;
}
