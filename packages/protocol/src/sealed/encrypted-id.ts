import type { Sha256 } from "../hash.ts";
import { base32, idBytes, type NamespaceId } from "../ids.ts";

const prefix = "nse_";

/**
 * The id of an encrypted namespace follows from the first entry of its membership log (EE6), and
 * shows that it is one: a server can neither give a plain namespace out for it nor another log.
 */
export function encryptedNamespaceId(sha256: Sha256, genesis: string): NamespaceId {
  const hash = sha256(`tidemark namespace 1\n${genesis}`);
  return `${prefix}${base32(hash.subarray(0, idBytes))}` as NamespaceId;
}

/** Whether a namespace takes sealed values alone, by its id. */
export function isEncryptedId(namespace: string): boolean {
  return namespace.startsWith(prefix);
}
