import { hash } from "node:crypto";
import { bufferOf, bytesOf, newKey, publicHalf, publicOf, rawOf } from "./instant-keys.ts";

/**
 * What wraps of keys are made with (ECDH-ES with X25519, AES-KW, AES-GCM), in no time. Nothing is
 * hidden, and what was changed or is for somebody else still does not open: that is all that a run
 * asks of it.
 */
export const instantWraps = {
  generateKey: async (algorithm: object): Promise<object> => {
    made += 1;
    const secret = Buffer.from(`ephemeral ${made}`);
    const told = { type: "private", algorithm, usages: ["deriveBits"] };
    return { privateKey: newKey({ x: publicHalf(secret), d: "" }, told) };
  },
  // The same for both sides: each has its own key whole and the public half of the other's.
  deriveBits: async ({ public: other }: { public: object }, own: object): Promise<ArrayBuffer> =>
    bufferOf(digest("shared", ...[publicOf(other), publicOf(own)].toSorted())),
  wrapKey: async (_format: string, key: object, by: object): Promise<ArrayBuffer> =>
    bufferOf(sealed(rawOf(by), [], rawOf(key))),
  unwrapKey: async (...[, wrapped, by, , algorithm]: UnwrapArgs): Promise<object> => {
    const raw = opened(rawOf(by), [], bytesOf(wrapped));
    return newKey({ raw }, { type: "secret", algorithm, usages: ["sign"] });
  },
  encrypt: async (how: Gcm, key: object, data: ArrayBuffer): Promise<ArrayBuffer> =>
    bufferOf(sealed(rawOf(key), [how.iv, how.additionalData], bytesOf(data))),
  decrypt: async (how: Gcm, key: object, data: ArrayBuffer): Promise<ArrayBuffer> =>
    bufferOf(opened(rawOf(key), [how.iv, how.additionalData], bytesOf(data))),
};

let made = 0;
const tagBytes = 16;

interface Gcm {
  readonly iv: Uint8Array;
  readonly additionalData: Uint8Array;
}

type UnwrapArgs = readonly [
  format: string,
  wrapped: ArrayBuffer,
  by: object,
  how: unknown,
  algorithm: object,
];

function sealed(key: Buffer, beside: readonly Uint8Array[], text: Buffer): Buffer {
  return Buffer.concat([text, tagOf(key, beside, text)]);
}

function opened(key: Buffer, beside: readonly Uint8Array[], bytes: Buffer): Buffer {
  const text = bytes.subarray(0, -tagBytes);
  if (!tagOf(key, beside, text).equals(bytes.subarray(-tagBytes))) throw new Error("does not open");
  return text;
}

function tagOf(key: Buffer, beside: readonly Uint8Array[], text: Buffer): Buffer {
  return digest("tag", key, ...beside, text).subarray(0, tagBytes);
}

function digest(...parts: readonly (string | Uint8Array)[]): Buffer {
  return hash("sha256", Buffer.concat(parts.map((part) => Buffer.from(part))), "buffer");
}
