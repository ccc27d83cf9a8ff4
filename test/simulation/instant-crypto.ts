import crypto, { createHash, hash, type KeyObject } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import {
  bufferOf,
  bytesOf,
  halvesOf,
  newKey,
  publicHalf,
  publicOf,
  rawOf,
} from "./instant-keys.ts";
import { instantWraps } from "./instant-wraps.ts";

/**
 * Signatures that take no time. The real ones are made off the main thread and come back whenever
 * they come, which would make runs differ, and cost more than all the rest of a request. Here a
 * signature is a hash over the public key and the text: what is signed by whom still has to fit.
 * All that calls WebCrypto in this process gets it, so nothing but a simulation may install it.
 */
export function installInstantCrypto(): void {
  if (isInstalled) return;
  isInstalled = true;
  const prototype: object = Object.getPrototypeOf(globalThis.crypto.subtle) as object;
  for (const [name, value] of Object.entries(instant)) {
    Object.defineProperty(prototype, name, { configurable: true, writable: true, value });
  }
  crypto.createPrivateKey = createPrivateKeyFast;
  syncBuiltinESMExports();
}

const { createPrivateKey } = crypto;
/** What stands before 32 bytes that are an X25519 private key in PKCS #8 (RFC 8410 §7). */
const sealingHead = Buffer.from("302e020100300506032b656e04220420", "hex");

/**
 * The same key in a tenth of the time. OpenSSL tries every kind of key on what is DER; of a JWK Node
 * takes the private half as it is, and makes the public one of it.
 */
function createPrivateKeyFast(given: Parameters<typeof createPrivateKey>[0]): KeyObject {
  const der = typeof given === "object" && "key" in given ? given.key : undefined;
  const isSealing = Buffer.isBuffer(der) && der.subarray(0, -32).equals(sealingHead);
  if (!isSealing) return createPrivateKey(given);
  const d = der.subarray(-32).toString("base64url");
  return createPrivateKey({ key: { kty: "OKP", crv: "X25519", x: "", d }, format: "jwk" });
}

/** A device's key in this world, made of its secret. */
export function instantKey(secret: Uint8Array): {
  readonly publicJwk: { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };
  readonly thumbprint: string;
  privateJwk(): { kty: "OKP"; crv: "Ed25519"; x: string; d: string };
} {
  const x = publicHalf(secret);
  const publicJwk = { kty: "OKP", crv: "Ed25519", x } as const;
  const canonical = JSON.stringify({ crv: publicJwk.crv, kty: publicJwk.kty, x });
  const d = Buffer.from(secret).toString("base64url");
  return {
    publicJwk,
    thumbprint: createHash("sha256").update(canonical).digest("base64url"),
    privateJwk: () => ({ ...publicJwk, d }),
  };
}

let isInstalled = false;

interface Jwk {
  readonly crv: string;
  readonly x: string;
  readonly d?: string;
}

interface Named {
  readonly name: string;
}

const instant = {
  ...instantWraps,
  importKey: async (...[format, key, algorithm, , usages = []]: ImportArgs): Promise<object> => {
    if (format === "jwk") return keyOf(key as Jwk);
    const bytes = bytesOf(key as ArrayBuffer);
    if (format === "raw") {
      const told = { ...(typeof algorithm === "string" ? { name: algorithm } : algorithm) };
      const kind = { type: "secret", algorithm: { ...told, length: bytes.length * 8 }, usages };
      return newKey({ raw: Buffer.from(bytes) }, kind);
    }
    // PKCS 8 of an Ed25519 key ends with its 32 secret bytes (RFC 8410).
    const secret = bytes.subarray(-32);
    return keyOf({ crv: "Ed25519", x: publicHalf(secret), d: secret.toString("base64url") });
  },
  exportKey: async (format: string, key: { algorithm: Named }): Promise<unknown> =>
    format === "raw"
      ? bufferOf(rawOf(key))
      : { kty: "OKP", crv: key.algorithm.name, ...halvesOf(key) },
  sign: async (_algorithm: unknown, key: object, data: ArrayBuffer): Promise<ArrayBuffer> =>
    signature(key, data),
  verify: async (
    _algorithm: unknown,
    key: object,
    given: ArrayBuffer,
    data: ArrayBuffer,
  ): Promise<boolean> => bytesOf(signature(key, data)).equals(bytesOf(given)),
  digest: async (_algorithm: unknown, data: ArrayBuffer): Promise<ArrayBuffer> =>
    bufferOf(hash("sha256", bytesOf(data), "buffer")),
};

type ImportArgs = readonly [
  format: string,
  key: unknown,
  algorithm: Named | string,
  extractable?: boolean,
  usages?: readonly string[],
];

function keyOf({ crv, x, d }: Jwk): object {
  const isPrivate = d !== undefined;
  const agrees = isPrivate ? ["deriveBits"] : [];
  const signs = [isPrivate ? "sign" : "verify"];
  return newKey(isPrivate ? { x, d } : { x }, {
    type: isPrivate ? "private" : "public",
    algorithm: { name: crv },
    usages: crv === "X25519" ? agrees : signs,
  });
}

function signature(key: object, data: ArrayBuffer): ArrayBuffer {
  return bufferOf(
    hash("sha512", Buffer.concat([Buffer.from(publicOf(key)), bytesOf(data)]), "buffer"),
  );
}
