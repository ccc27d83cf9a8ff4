import {
  createKeyRing,
  isEncryptedId,
  type KeyRing,
  type NamespaceId,
  type NamespaceKeys,
} from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";

/** The place of the key of names, which is of no epoch, among the keys. */
const namesEpoch = 0;

/**
 * The keys of an encrypted namespace that are here; undefined where it is not encrypted, or none
 * has come yet. They lie beside the text that they keep from the server, so no keychain is asked
 * for them, and hooks can seal.
 */
export function ringOf(context: StoreContext, namespace: string): KeyRing | undefined {
  if (!isEncryptedId(namespace) || context.cipher === undefined) return undefined;
  const rows = rowsOf(context, namespace);
  const held = context.rings.get(namespace);
  // Keys are added and never changed.
  if (held?.count === rows.length) return held.ring;
  const keys = keysOf(namespace, rows);
  if (keys === undefined) return undefined;
  const ring = createKeyRing(context.cipher, keys);
  context.rings.set(namespace, { count: rows.length, ring });
  return ring;
}

/** The same as they are handed on; undefined where none is here. */
export function readKeys(context: StoreContext, namespace: string): NamespaceKeys | undefined {
  return isEncryptedId(namespace) ? keysOf(namespace, rowsOf(context, namespace)) : undefined;
}

interface KeyRow {
  readonly epoch: number;
  readonly key: string;
}

function rowsOf(context: StoreContext, namespace: string): readonly KeyRow[] {
  return context.db.all<KeyRow>(
    "SELECT epoch, key FROM namespace_keys WHERE namespace = ? ORDER BY epoch",
    namespace,
  );
}

function keysOf(namespace: string, rows: readonly KeyRow[]): NamespaceKeys | undefined {
  const names = rows.find(({ epoch }) => epoch === namesEpoch);
  const epochs = rows.filter(({ epoch }) => epoch !== namesEpoch);
  if (names === undefined || epochs.length === 0) return undefined;
  return {
    namespace: namespace as NamespaceId,
    names: bytesOf(names.key),
    epochs: new Map(epochs.map(({ epoch, key }) => [epoch, bytesOf(key)])),
  };
}

/** Keeps keys of a namespace; those that are here stay. Gives whether one is new. */
export function saveKeys(
  context: StoreContext,
  { namespace, names, epochs }: NamespaceKeys,
): boolean {
  let isNew = false;
  for (const [epoch, key] of new Map([[namesEpoch, names], ...epochs])) {
    const row = context.db.get(
      `INSERT OR IGNORE INTO namespace_keys (namespace, epoch, key) VALUES (?, ?, ?)
       RETURNING epoch`,
      namespace,
      epoch,
      Buffer.from(key).toString("base64url"),
    );
    isNew ||= row !== undefined;
  }
  return isNew;
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64url"));
}
