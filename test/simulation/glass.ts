import { createHash, createHmac } from "node:crypto";
import type { SealCipher } from "../../packages/protocol/src/index.ts";

/**
 * A cipher of glass: what it seals opens with the same key at the same place alone, as with the real
 * one, but whoever looks from outside can read it. So the oracle sees what became of a value wherever
 * it is, without any key and without the product's code.
 */
export const glassCipher: SealCipher = {
  hmac: (key, text) => createHmac("sha256", key).update(text).digest(),
  encrypt: (key, { nonce, text, additional }) => {
    const tag = tagOf(key, { nonce, text, additional });
    return Buffer.concat([nonce, Buffer.from(text), tag]).toString("base64url");
  },
  decrypt: (key, { body, additional }) => {
    const bytes = Buffer.from(body, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const text = bytes.subarray(nonceBytes, -tagBytes).toString("utf8");
    const tag = bytes.subarray(-tagBytes);
    return tagOf(key, { nonce, text, additional }).equals(tag) ? text : undefined;
  },
};

const nonceBytes = 12;
const tagBytes = 16;

function tagOf(
  key: Uint8Array,
  { nonce, text, additional }: { nonce: Uint8Array; text: string; additional: string },
): Buffer {
  const parts = [JSON.stringify([text, additional])];
  const hash = createHash("sha256").update(key).update(nonce);
  for (const part of parts) hash.update(part);
  return hash.digest().subarray(0, tagBytes);
}

const sealedText = /sealed1\.\d+\.([\w-]+)/g;

/** A text with what is sealed in it as it reads through the glass. */
export function throughGlass(text: string): string {
  return text.includes("sealed1.")
    ? text.replace(sealedText, (_all, body: string) => read(body))
    : text;
}

/** The name and the value that a sealed text holds; undefined for any other value. */
export function sealedField(value: unknown): readonly [name: string, value: unknown] | undefined {
  if (typeof value !== "string" || !value.startsWith("sealed1.")) return undefined;
  return JSON.parse(read(value.slice(value.lastIndexOf(".") + 1))) as [string, unknown];
}

function read(body: string): string {
  return Buffer.from(body, "base64url").subarray(nonceBytes, -tagBytes).toString("utf8");
}
