import { builtin } from "./builtin.ts";

/** Unpredictable bytes, fit for keys and ids. */
export interface Random {
  /** `count` fresh bytes. */
  bytes(count: number): Uint8Array;
}

/** The operating system's generator. */
export const systemRandom: Random = {
  bytes: (count) => Uint8Array.from(builtin.crypto().randomBytes(count)),
};
