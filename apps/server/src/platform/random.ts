import { randomBytes } from "node:crypto";

/** Unpredictable bytes, fit for secrets and ids. */
export interface Random {
  /** `count` fresh bytes. */
  bytes(count: number): Uint8Array;
}

/** The operating system's generator. */
export const systemRandom: Random = { bytes: (count) => Uint8Array.from(randomBytes(count)) };
