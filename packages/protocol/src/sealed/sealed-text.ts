import { isPadmeSize } from "./padme.ts";

/** A sealed value, taken apart: `sealed1.<epoch>.<body>`. */
export interface SealedText {
  readonly epoch: number;
  /** Nonce, ciphertext and tag, base64url. */
  readonly body: string;
}

const prefix = "sealed1.";
const nonceAndTagBytes = 28;
const pattern = /^sealed1\.([1-9][0-9]{0,8})\.([0-9A-Za-z_-]+)$/;

/** Writes a sealed value as it stands in records and op lines. */
export function sealedText({ epoch, body }: SealedText): string {
  return `${prefix}${epoch}.${body}`;
}

/**
 * Reads a sealed value; undefined for anything else. Looks at form and size alone, so that a server
 * can do it: what is sealed has one of few sizes (EE2).
 */
export function parseSealedText(value: unknown): SealedText | undefined {
  if (typeof value !== "string" || !value.startsWith(prefix)) return undefined;
  const match = pattern.exec(value);
  if (match === null) return undefined;
  const [, epoch, body = ""] = match;
  // Of four characters that are left over, one stands for no whole byte.
  if (body.length % 4 === 1) return undefined;
  const bytes = Math.floor((body.length * 3) / 4) - nonceAndTagBytes;
  return isPadmeSize(bytes) ? { epoch: Number(epoch), body } : undefined;
}

/** Whether a value begins as sealed ones do: such a text is refused where nothing is sealed (EE5). */
export function looksSealed(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(prefix);
}

const fieldIdPattern = /^f[0-9a-v]{26}$/;

/** Whether a field's name is one that says nothing (EE3). */
export function isFieldId(name: string): boolean {
  return fieldIdPattern.test(name);
}
