/** A wall time as ISO 8601 in UTC, to the second; `unknown` for what no calendar has. */
export function dateText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "unknown" : `${date.toISOString().slice(0, 19)}Z`;
}
