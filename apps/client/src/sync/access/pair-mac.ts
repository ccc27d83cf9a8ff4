import { base64url } from "jose";

/** The hash functions that codes need. */
export interface PairHashes {
  hmacSha256(key: Uint8Array, text: string | Uint8Array): Uint8Array;
  /** scrypt with N = 2^16, r = 8, p = 1; 32 bytes. About half a second, so that guessing costs. */
  slowKey(secret: string, salt: Uint8Array): Promise<Uint8Array>;
}

/** What a code vouches for. */
export interface Vouched {
  /** RFC 7638 thumbprint of the new device's key. */
  readonly thumbprint: string;
  readonly name: string;
  readonly serverId: string;
}

/**
 * Binds a new device's key and name to the half of its code that no server sees (PR3). A server
 * that puts another key or name in place would have to guess that half within minutes, at half a
 * second a guess, and with a salt that it did not choose.
 */
export async function pairMac(
  hashes: PairHashes,
  secret: { readonly half: string; readonly salt: string },
  { thumbprint, name, serverId }: Vouched,
): Promise<string> {
  const key = await hashes.slowKey(secret.half, base64url.decode(secret.salt));
  return base64url.encode(hashes.hmacSha256(key, `${thumbprint}|${name}|${serverId}`));
}
