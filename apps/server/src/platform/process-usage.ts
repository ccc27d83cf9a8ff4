/** A clock that nobody sets, in milliseconds since some moment. */
export function monotonicMs(): number {
  return performance.now();
}

/** What this process takes, and since when. */
export function processUsage(): {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly startedAtMs: number;
} {
  const { user, system } = process.cpuUsage();
  return {
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    startedAtMs: performance.timeOrigin,
  };
}
