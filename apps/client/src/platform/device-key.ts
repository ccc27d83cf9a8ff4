import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  sign as signBytes,
  type KeyObject,
} from "node:crypto";
import { fail, ok, type Result } from "@tidemark/protocol";
import { createPrivateFile, readPrivateFile, type FileError } from "./private-file.ts";

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

/** Why the device key cannot be used. */
export type DeviceKeyError =
  | FileError
  | { readonly kind: "bad-key"; readonly path: string; readonly hint: string };

/** Makes a fresh key in memory. */
export function newDeviceKey(): DeviceKey {
  return deviceKeyOf(generateKeyPairSync("ed25519").privateKey);
}

/** Reads the key file; undefined if there is none yet. */
export function loadDeviceKey(path: string): Result<DeviceKey | undefined, DeviceKeyError> {
  const text = readPrivateFile(path);
  if (!text.ok || text.value === undefined) return text as Result<undefined, FileError>;
  const key = parseKey(text.value);
  const hint = "the key file is damaged; move it away and pair this device again";
  return key === undefined ? fail({ kind: "bad-key", path, hint }) : ok(key);
}

/**
 * Reads the key file or makes it (0600). Of two processes that make it at once one wins, and both
 * use the winner's.
 */
export function loadOrCreateDeviceKey(path: string): Result<DeviceKey, DeviceKeyError> {
  const known = loadDeviceKey(path);
  if (!known.ok) return known;
  if (known.value !== undefined) return ok(known.value);
  const fresh = newDeviceKey();
  const created = createPrivateFile(path, `${JSON.stringify(fresh.privateJwk())}\n`);
  if (created.ok) return ok(fresh);
  if (created.error.kind !== "exists") return created;
  const winner = loadDeviceKey(path);
  if (!winner.ok) return winner;
  return winner.value === undefined ? created : ok(winner.value);
}

function parseKey(text: string): DeviceKey | undefined {
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

function deviceKeyOf(key: KeyObject): DeviceKey {
  const { x, d } = key.export({ format: "jwk" });
  if (x === undefined || d === undefined) throw new TypeError("an Ed25519 key has x and d");
  const publicJwk = { kty: "OKP", crv: "Ed25519", x } as const;
  // RFC 7638: the required members in lexical order, no spaces.
  const canonical = JSON.stringify({ crv: publicJwk.crv, kty: publicJwk.kty, x });
  return {
    publicJwk,
    thumbprint: createHash("sha256").update(canonical).digest("base64url"),
    sign: (bytes) => signBytes(null, bytes, key),
    privateJwk: () => ({ ...publicJwk, d }),
  };
}
