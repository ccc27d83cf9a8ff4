import { createHash, createHmac } from "node:crypto";
import type { SealCipher } from "../../packages/protocol/src/index.ts";

/**
 * A cipher of glass: what it seals opens with the same key at the same place alone, as with the real
 * one, but whoever looks from outside can read it. So the oracle sees what became of a value wherever
 * it is, without any key and without the product's code.
 */
export const glassCipher: SealCipher = {
  hmac: (key, text) => {
    const made = createHmac("sha256", key).update(text).digest();
    if (text.endsWith(derivation)) origins.set(hexOf(made), hexOf(key));
    return made;
  },
  encrypt: (key, { nonce, text, additional }) => {
    const tag = tagOf(key, { nonce, text, additional });
    const body = Buffer.concat([nonce, Buffer.from(text), tag]).toString("base64url");
    const origin = origins.get(hexOf(key));
    if (origin === undefined) throw new Error("a key comes from nowhere");
    sealers.set(body, origin);
    return body;
  },
  decrypt: (key, { body, additional }) => {
    const bytes = Buffer.from(body, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const text = bytes.subarray(nonceBytes, -tagBytes).toString("utf8");
    const tag = bytes.subarray(-tagBytes);
    return tagOf(key, { nonce, text, additional }).equals(tag) ? text : undefined;
  },
};

/** What makes a key of another one (HKDF's first block, RFC 5869 section 2.3) ends so. */
const derivation = "\u0001";
/** Where keys come from, and under which one a text was sealed. */
const origins = new Map<string, string>();
const sealers = new Map<string, string>();

/** Another world's keys are of no use. */
export function forgetSeals(): void {
  origins.clear();
  sealers.clear();
}

/** The keys of epochs, in hexadecimal, under which what is sealed in a text was sealed. */
export function sealersOf(text: string): readonly string[] {
  return [...text.matchAll(sealedText)].map(([, body = ""]) => {
    const key = sealers.get(body);
    if (key === undefined) throw new Error("nobody here sealed this");
    return key;
  });
}

/** A key as what seals is called here. */
export function hexOf(key: Uint8Array): string {
  return Buffer.from(key).toString("hex");
}

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
