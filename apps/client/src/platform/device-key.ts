import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  sign as signBytes,
  type KeyObject,
} from "node:crypto";

/** The Ed25519 key that is this device's credential; its private half never leaves the machine. */
export interface DeviceKey {
  readonly publicJwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
  /** RFC 7638 thumbprint of the public key, base64url. */
  readonly thumbprint: string;
  /** Ed25519 signature, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** The whole key, for a signer that wants a JWK. */
  privateJwk(): PrivateJwk;
}

/** An Ed25519 private key as a JWK (RFC 8037). */
export interface PrivateJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly d: string;
}

/** Makes a fresh key in memory. */
export function newDeviceKey(): DeviceKey {
  return deviceKeyOf(generateKeyPairSync("ed25519").privateKey);
}

/** What stands before 32 bytes that are an Ed25519 private key in PKCS #8 (RFC 8410 §7). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

/** The key that follows from 32 bytes (RFC 8032 §5.1.5). */
export function deviceKeyOfSeed(seed: Uint8Array): DeviceKey {
  const der = Buffer.concat([pkcs8Head, seed]);
  return deviceKeyOf(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
}

/** Reads a key from a JWK as text; undefined if it is none. */
export function parseDeviceKey(text: string): DeviceKey | undefined {
  try {
    const jwk: unknown = JSON.parse(text);
    if (typeof jwk !== "object" || jwk === null) return undefined;
    const key = createPrivateKey({ key: { ...jwk }, format: "jwk" });
    if (key.asymmetricKeyType !== "ed25519") return undefined;
    return deviceKeyOf(key);
  } catch {
    return undefined;
  }
}

/** RFC 7638 thumbprint of an Ed25519 key: the required members in lexical order, no spaces. */
export function thumbprintOf(x: string): string {
  const canonical = JSON.stringify({ crv: "Ed25519", kty: "OKP", x });
  return createHash("sha256").update(canonical).digest("base64url");
}

function deviceKeyOf(key: KeyObject): DeviceKey {
  const { x, d } = key.export({ format: "jwk" });
  if (x === undefined || d === undefined) throw new TypeError("an Ed25519 key has x and d");
  const publicJwk = { kty: "OKP", crv: "Ed25519", x } as const;
  return {
    publicJwk,
    thumbprint: thumbprintOf(x),
    sign: (bytes) => signBytes(null, bytes, key),
    privateJwk: () => ({ ...publicJwk, d }),
  };
}
