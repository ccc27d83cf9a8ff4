import { hmacSha256, sha256, timingSafeEqual } from "../../platform/hash.ts";
import type { AccountStore } from "../../store/accounts-port.ts";
import type { SigningKeyRow } from "../../store/signing-key-row.ts";
import type { AuthDeps } from "../auth-deps.ts";
import type { KeyVault } from "../key-vault.ts";

/** A clock that stands still until told otherwise. */
export interface TestClock {
  nowMs(): number;
  advance(ms: number): void;
}

/** Makes a clock of the tests. */
export function createTestClock(startMs = 1_790_000_000_000): TestClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** Everything authentication needs, predictable from a seed. */
export function createAuthDeps(clock: TestClock, seed = "seed"): AuthDeps {
  return {
    clock,
    random: createTestRandom(seed),
    sha256,
    hmacSha256,
    isSameSecret: timingSafeEqual,
  };
}

/** Random bytes that a seed decides. */
export function createTestRandom(seed: string): AuthDeps["random"] {
  let calls = 0;
  return {
    bytes: (count) => {
      calls += 1;
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 32) {
        bytes.set(sha256(`${seed} ${calls} ${at}`).subarray(0, count - at), at);
      }
      return bytes;
    },
  };
}

/** The part of the account store that keeps signing keys. */
export function createKeyShelf() {
  let rows: readonly SigningKeyRow[] = [];
  let reads = 0;
  return {
    reads: () => reads,
    signingKeys: async () => {
      reads += 1;
      return await Promise.resolve(rows);
    },
    changeSigningKeys: async (change: Parameters<AccountStore["changeSigningKeys"]>[0]) => {
      ({ rows } = change(rows));
      return await Promise.resolve(rows);
    },
  };
}

/** A vault that seals nothing, where a test is about something else. */
export const openVault: KeyVault = {
  master: "open",
  seal: async (_, jwk) => await Promise.resolve(JSON.stringify(jwk)),
  open: async (_, sealed) => await Promise.resolve(JSON.parse(sealed) as object),
};
