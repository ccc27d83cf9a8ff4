import { base64url } from "jose";
import type { AuthDeps } from "./auth-deps.ts";

/** What is known of a token that was found good. */
export interface KnownToken<Holder> {
  readonly holder: Holder;
  /** The key that it was checked with; by another one it has to be checked again. */
  readonly key: object;
  /** From this moment on it is too old, in milliseconds. */
  readonly untilMs: number;
}

/**
 * Access tokens that were found good, so that a token's signature is not checked at every request of
 * its ten minutes (AU25). Whether its device, its rights and its key still stand is not remembered
 * here and asked each time.
 */
export interface KnownTokens<Holder> {
  find(token: string): KnownToken<Holder> | undefined;
  remember(token: string, known: KnownToken<Holder>): void;
}

/** Tokens that are remembered: of so many devices that call within ten minutes. */
const tokensMax = 20_000;

/** A memory within this process; it holds hashes of tokens and no token, and no more than `max`. */
export function createKnownTokens<Holder>(
  { clock, sha256 }: Pick<AuthDeps, "clock" | "sha256">,
  max: number = tokensMax,
): KnownTokens<Holder> {
  const known = new Map<string, KnownToken<Holder> & { readonly fromMs: number }>();
  return {
    find: (token) => {
      const name = base64url.encode(sha256(token));
      const found = known.get(name);
      if (found === undefined) return undefined;
      const nowMs = clock.nowMs();
      // Where the clock was set back, the token may not be good yet.
      if (nowMs >= found.fromMs && nowMs < found.untilMs) return found;
      known.delete(name);
      return undefined;
    },
    remember: (token, fresh) => {
      const [oldest] = known.size >= max ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
      known.set(base64url.encode(sha256(token)), { ...fresh, fromMs: clock.nowMs() });
    },
  };
}
