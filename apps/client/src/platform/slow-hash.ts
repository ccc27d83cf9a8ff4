import { scrypt } from "node:crypto";

const cost = { N: 65_536, r: 8, p: 1, maxmem: 128 * 1_048_576 } as const;

/** A key of 32 bytes out of few random ones (scrypt): half a second off the main thread. */
export function slowKey(secret: string, salt: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, 32, cost, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
