import type { NamespaceId } from "@tidemark/protocol";
import type { Transaction } from "./door.ts";

/** A transaction and the namespace that it shows. */
export interface Scope {
  readonly tx: Transaction;
  readonly namespace: NamespaceId;
}
