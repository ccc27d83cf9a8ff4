import { createHash, hash } from "node:crypto";

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
  readonly x: string;
  readonly d?: string;
}

const jwks = new WeakMap<object, Jwk>();

const instant = {
  importKey: async (format: string, key: unknown): Promise<object> => {
    if (format === "jwk") return keyOf(key as Jwk);
    // PKCS 8 of an Ed25519 key ends with its 32 secret bytes (RFC 8410).
    const secret = bytesOf(key as ArrayBuffer).subarray(-32);
    return keyOf({ x: publicHalf(secret), d: secret.toString("base64url") });
  },
  exportKey: async (_format: string, key: object): Promise<object> => ({
    kty: "OKP",
    crv: "Ed25519",
    ...jwks.get(key),
  }),
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

function keyOf({ x, d }: Jwk): object {
  const isPrivate = d !== undefined;
  const key = {
    [Symbol.toStringTag]: "CryptoKey",
    type: isPrivate ? "private" : "public",
    algorithm: { name: "Ed25519" },
    extractable: true,
    usages: [isPrivate ? "sign" : "verify"],
  };
  jwks.set(key, isPrivate ? { x, d } : { x });
  return key;
}

function publicHalf(secret: Uint8Array): string {
  return createHash("sha256").update("public half").update(secret).digest("base64url");
}

function signature(key: object, data: ArrayBuffer): ArrayBuffer {
  const x = jwks.get(key)?.x ?? "";
  return bufferOf(hash("sha512", Buffer.concat([Buffer.from(x), bytesOf(data)]), "buffer"));
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}

function bufferOf(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
