import type { NamespaceId, Sha256 } from "@tidemark/protocol";
import type { JWK } from "jose";
import type { Random } from "../ports.ts";
import type { ReplicaStore } from "../../store/replica-store.ts";
import type { DeviceKeys } from "./device-statement.ts";
import type { KeysApi } from "./keys-api.ts";
import type { LinkBook } from "./link-book.ts";

/** A device, or a recovery code, with the private halves of its keys. */
export interface Holder {
  readonly keys: DeviceKeys;
  /** Private Ed25519 key. */
  readonly sign: JWK;
  /** Private X25519 key. */
  readonly open: JWK & { readonly x: string };
  /** From which the keys of epochs follow that it begins; 32 bytes. */
  readonly epochSecret: Uint8Array;
}

/** Remembers for which namespaces somebody wanted the key here. */
export interface Asked {
  isAsked(namespace: NamespaceId): boolean;
  note(namespace: NamespaceId): void;
}

/** What exchanging keys of encrypted namespaces needs. */
export interface SealedParts {
  readonly api: KeysApi;
  readonly store: Pick<
    ReplicaStore,
    "sealing" | "seenLog" | "takeSealing" | "distrust" | "heldKeys"
  >;
  readonly self: Holder;
  /** Which namespaces a person asked for on this device (EE17). */
  readonly asked: Asked;
  /** Pairing links that this device made or came in by. */
  readonly links: LinkBook;
  readonly sha256: Sha256;
  hmacSha256(key: Uint8Array, text: string): Uint8Array;
  /** RFC 7638 thumbprint of an Ed25519 key, base64url. */
  thumbprint(sig: string): string;
  readonly random: Random;
}
