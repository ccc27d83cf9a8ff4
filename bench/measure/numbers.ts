/** The value below which a share of all lies; `at` from 0 to 1. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? 0;
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Seconds since a reading of `process.hrtime.bigint()`. */
export function secondsSince(started: bigint): number {
  return Number(process.hrtime.bigint() - started) / 1e9;
}

/** A count of things a second, for people. */
export function perSecond(count: number, seconds: number): string {
  return seconds > 0 ? `${Math.round(count / seconds).toLocaleString("en-US")}/s` : "-";
}

/** Bytes as megabytes, for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
