import type { Sha256 } from "./hash.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Identity of a record, unique in its namespace. */
export type RecordId = Branded<"RecordId">;
/** One incarnation of one local store in one namespace; minted anew whenever history forks. */
export type WriterId = Branded<"WriterId">;
/** A unit of sharing, of ordering and of scale. */
export type NamespaceId = Branded<"NamespaceId">;
/** One installation, known by its Ed25519 key. */
export type DeviceId = Branded<"DeviceId">;
/** A person known to a server. */
export type UserId = Branded<"UserId">;

/** What every id looks like on the wire and in the databases. */
export const idPattern: RegExp = /^[0-9A-Za-z_-]{1,64}$/;

/** Whether a text may serve as an id. */
export function isId(text: string): boolean {
  return idPattern.test(text);
}

const alphabet = "0123456789abcdefghijklmnopqrstuv";

/** Bytes as lower-case base32 (RFC 4648 extended hex, no padding): it sorts as the bytes do. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((held >>> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  if (bits > 0) text += alphabet.charAt((held << (5 - bits)) & 31);
  return text;
}

/** Random bytes an id is made of: 128 bits. */
export const idBytes = 16;

/** Makes a record id of 16 random bytes. */
export function recordId(bytes: Uint8Array): RecordId {
  return base32(bytes.subarray(0, idBytes)) as RecordId;
}

/** Makes a writer id of 16 random bytes. */
export function writerId(bytes: Uint8Array): WriterId {
  return base32(bytes.subarray(0, idBytes)) as WriterId;
}

/** Makes a namespace id of 16 random bytes. */
export function namespaceId(bytes: Uint8Array): NamespaceId {
  return `ns_${base32(bytes.subarray(0, idBytes))}` as NamespaceId;
}

/** Makes a device id of 16 random bytes. */
export function deviceId(bytes: Uint8Array): DeviceId {
  return `dev_${base32(bytes.subarray(0, idBytes))}` as DeviceId;
}

/** Makes a user id of 16 random bytes. */
export function userId(bytes: Uint8Array): UserId {
  return `usr_${base32(bytes.subarray(0, idBytes))}` as UserId;
}

/**
 * The id that follows from what a record is about: two devices that capture the same thing make
 * the same record. `purpose` keeps ids of different purposes apart.
 */
export function derivedId(sha256: Sha256, purpose: string, parts: readonly string[]): RecordId {
  return base32(sha256(JSON.stringify([purpose, ...parts])).subarray(0, idBytes)) as RecordId;
}
