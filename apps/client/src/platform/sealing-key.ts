import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto";
import type { PrivateJwk } from "./device-key.ts";

/** An X25519 private key as a JWK (RFC 8037). */
export interface SealingJwk {
  readonly kty: "OKP";
  readonly crv: "X25519";
  readonly x: string;
  readonly d: string;
}

/** What stands before 32 bytes that are an X25519 private key in PKCS #8 (RFC 8410 §7). */
const pkcs8Head = Buffer.from("302e020100300506032b656e04220420", "hex");

/**
 * The key to which keys of namespaces are wrapped for this device. It follows from the device's own
 * key (HKDF-SHA-256, RFC 5869, with a purpose of its own), so it lies where that one lies, moves
 * with it and is lost with it: there is no second secret to keep.
 */
export function sealingKeyOf({ d }: Pick<PrivateJwk, "d">): SealingJwk {
  const bytes = derived(d, "tidemark sealing key 1");
  const der = Buffer.concat([pkcs8Head, bytes]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return { kty: "OKP", crv: "X25519", x, d: bytes.toString("base64url") };
}

/** What the keys of epochs follow from that this device begins (EE23): of its own key too; 32 bytes. */
export function epochSecretOf({ d }: Pick<PrivateJwk, "d">): Uint8Array {
  return derived(d, "tidemark epoch keys 1");
}

function derived(d: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", Buffer.from(d, "base64url"), "", purpose, 32));
}
