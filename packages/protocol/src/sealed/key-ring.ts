import type { NamespaceId, RecordId, WriterId } from "../ids.ts";
import { base32, idBytes } from "../ids.ts";
import { canonicalJson } from "../json.ts";
import type { SealCipher } from "./seal-cipher.ts";

/** What a device holds of an encrypted namespace. */
export interface NamespaceKeys {
  readonly namespace: NamespaceId;
  /** Field names are hidden under it; the same for as long as the namespace lives. 32 bytes. */
  readonly names: Uint8Array;
  /** Keys by epoch, 32 bytes each; a device that came later may lack early ones. */
  readonly epochs: ReadonlyMap<number, Uint8Array>;
}

/** Keys ready for use: what follows from them is worked out once. */
export interface KeyRing {
  readonly namespace: NamespaceId;
  readonly cipher: SealCipher;
  /** The newest epoch whose key is there: what is sealed is sealed under it. */
  readonly epoch: number;
  /** Undefined where the key of the epoch is not there. */
  writerKeys(epoch: number, writer: WriterId): WriterKeys | undefined;
  /** The name under which everybody but the members knows a record's field (EE3). */
  fieldId(record: RecordId, field: string): string;
}

/** The keys of one writer in one epoch. */
export interface WriterKeys {
  readonly seal: Uint8Array;
  readonly nonce: Uint8Array;
}

/**
 * Makes the ring of a namespace. Each writer has keys of its own (HKDF-Expand, RFC 5869 §2.3, one
 * block): two copies of a machine that draw the same random numbers part as writers, and so never
 * use one key for two things.
 */
export function createKeyRing(cipher: SealCipher, keys: NamespaceKeys): KeyRing {
  const made = new Map<string, WriterKeys>();
  const expand = (key: Uint8Array, purpose: string): Uint8Array =>
    cipher.hmac(key, `${purpose}\u0001`);
  return {
    namespace: keys.namespace,
    cipher,
    epoch: Math.max(0, ...keys.epochs.keys()),
    writerKeys: (epoch, writer) => {
      const name = `${epoch} ${writer}`;
      const known = made.get(name);
      const key = keys.epochs.get(epoch);
      if (known !== undefined || key === undefined) return known;
      const writerKeys = {
        seal: expand(key, `tidemark seal 1 ${writer}`),
        nonce: expand(key, `tidemark nonce 1 ${writer}`),
      };
      made.set(name, writerKeys);
      return writerKeys;
    },
    fieldId: (record, field) => {
      const hash = cipher.hmac(keys.names, canonicalJson(["tidemark field 1", record, field]));
      return `f${base32(hash.subarray(0, idBytes))}`;
    },
  };
}
