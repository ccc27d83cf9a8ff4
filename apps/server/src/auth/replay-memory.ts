/** Proofs of one key within the window: 160 a second, more than one device can use. */
const jtisOfKeyMax = 50_000;
/** Proofs of all keys together. */
const jtisMax = 500_000;
/** How often expired entries are swept out, in milliseconds. */
const sweepEveryMs = 60_000;

/** Remembers which one-time ids were seen, so that a stolen proof cannot be shown again (AU7). */
export interface ReplayMemory {
  /**
   * `new` when the key has not shown this id before; it is remembered until `untilMs`. `full`
   * when there is no room: an id that is still valid is never dropped to make some.
   */
  remember(thumbprint: string, jti: string, untilMs: number): "new" | "seen" | "full";
  /** Whether the key has shown this id before; nothing is remembered by asking. */
  hasSeen(thumbprint: string, jti: string): boolean;
}

/** A memory within this process, bounded per key and in all. */
export function createReplayMemory(
  clock: { nowMs(): number },
  bounds: { readonly ofKey: number; readonly inAll: number } = {
    ofKey: jtisOfKeyMax,
    inAll: jtisMax,
  },
): ReplayMemory {
  const seen = new Map<string, Map<string, number>>();
  let total = 0;
  let sweptAtMs = clock.nowMs();

  const sweep = (nowMs: number): void => {
    sweptAtMs = nowMs;
    total = 0;
    for (const [thumbprint, jtis] of seen) {
      for (const [jti, untilMs] of jtis) if (untilMs < nowMs) jtis.delete(jti);
      if (jtis.size === 0) seen.delete(thumbprint);
      total += jtis.size;
    }
  };

  return {
    remember: (thumbprint, jti, untilMs) => {
      const nowMs = clock.nowMs();
      // Both ways: a clock that was ahead is set back.
      if (Math.abs(nowMs - sweptAtMs) >= sweepEveryMs) sweep(nowMs);
      const jtis = seen.get(thumbprint) ?? new Map<string, number>();
      if (jtis.has(jti)) return "seen";
      if (jtis.size >= bounds.ofKey || total >= bounds.inAll) return "full";
      jtis.set(jti, untilMs);
      seen.set(thumbprint, jtis);
      total += 1;
      return "new";
    },
    hasSeen: (thumbprint, jti) => seen.get(thumbprint)?.has(jti) === true,
  };
}
