import { serverLimits } from "../limits.ts";

/** How many requests of one kind are taken. */
export interface Rate {
  /** Whose requests count together: everybody's, one network's, or one device's. */
  readonly by: "server" | "address" | "device";
  /** Requests per minute, and at once after a pause. */
  readonly perMinute: number;
}

/** Says whether a request may pass. */
export interface RateLimiter {
  /** Gives 0, or the milliseconds until one more request of this key may pass. */
  take(key: string, perMinute: number): number;
}

const keysMax = serverLimits.memory.rateKeysMax;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets in memory, by the injected clock (AU12). */
export function createRateLimiter(clock: { nowMs(): number }): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, perMinute) => {
      const nowMs = clock.nowMs();
      const bucket = buckets.get(key) ?? { tokens: perMinute, atMs: nowMs };
      const passedMs = Math.max(0, nowMs - bucket.atMs);
      bucket.tokens = Math.min(perMinute, bucket.tokens + (passedMs * perMinute) / 60_000);
      bucket.atMs = nowMs;
      // The keys stay in the order of their last use, so the first is the one to forget.
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > keysMax) dropFirst(buckets);
      if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 60_000) / perMinute);
      bucket.tokens -= 1;
      return 0;
    },
  };
}

function dropFirst(buckets: Map<string, Bucket>): void {
  for (const key of buckets.keys()) {
    buckets.delete(key);
    return;
  }
}
