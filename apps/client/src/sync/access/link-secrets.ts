import { base32, type Sha256 } from "@tidemark/protocol";
import { base64url } from "jose";

/** The hash functions that links need. */
export interface LinkHashes {
  readonly sha256: Sha256;
  hmacSha256(key: Uint8Array, text: string | Uint8Array): Uint8Array;
}

/** A fresh link secret: 128 random bits as text. */
export function createLinkSecret(random: { bytes(count: number): Uint8Array }): string {
  return base32(random.bytes(16));
}

/** What opens a link at the server; the secret itself never leaves the two devices (AU54). */
export function linkAuth(hashes: LinkHashes, secret: string): string {
  return base64url.encode(derive(hashes, secret, "tidemark-join-auth"));
}

/** What the server keeps of a link. */
export function linkAuthHash(hashes: LinkHashes, secret: string): string {
  return base64url.encode(hashes.sha256(linkAuth(hashes, secret)));
}

/**
 * What only the two devices of a link have: the key by which each vouches to the other for its own
 * keys (AU54, EE21). Whoever has it does not know the secret, and opens nothing by it.
 */
export function linkBinding(hashes: LinkHashes, secret: string): Uint8Array {
  return derive(hashes, secret, "tidemark-join-bind");
}

/** Binds the new device's key to the link, so that not even the server can put in another (AU54). */
export function linkMac(
  hashes: Pick<LinkHashes, "hmacSha256">,
  binding: Uint8Array,
  device: {
    readonly thumbprint: string;
    readonly name: string;
    readonly serverId: string;
  },
): string {
  const text = `${device.thumbprint}|${device.name}|${device.serverId}`;
  return base64url.encode(hashes.hmacSha256(binding, text));
}

/** HKDF-SHA-256 (RFC 5869) without salt, one block of output. */
function derive(hashes: LinkHashes, secret: string, purpose: string): Uint8Array {
  const inputKey = new TextEncoder().encode(secret);
  const extracted = hashes.hmacSha256(new Uint8Array(32), inputKey);
  const block = new Uint8Array([...new TextEncoder().encode(purpose), 1]);
  return hashes.hmacSha256(extracted, block);
}
