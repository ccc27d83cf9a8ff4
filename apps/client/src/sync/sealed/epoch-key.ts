import { hex, type NamespaceId, type Sha256 } from "@tidemark/protocol";
import { base64url } from "jose";
import type { Holder, SealedParts } from "./own-keys.ts";

/** Bytes of a key of an epoch, and of the one that hides names. */
export const keyBytes = 32;
/** Random bytes of an entry that begins a log or an epoch. */
export const nonceBytes = 16;

/** What a wrap hands on: the key of an epoch, the one that hides names, and what members call it. */
export interface EpochKey {
  readonly epoch: number;
  /** 32 bytes each. */
  readonly key: Uint8Array;
  readonly names: Uint8Array;
  readonly name: string;
}

/** Where in a log an epoch begins. */
export interface EpochPlace {
  readonly namespace: NamespaceId;
  readonly epoch: number;
  /** Hash of the entry before. */
  readonly prev: string;
  readonly nonce: string;
}

/** The key of an epoch that a device begins there: for that device the same one for ever (EE23, ADR 49). */
export function keyBegunBy(
  { hmacSha256 }: Pick<SealedParts, "hmacSha256">,
  { epochSecret }: Pick<Holder, "epochSecret">,
  { namespace, epoch, prev, nonce }: EpochPlace,
): Uint8Array {
  return hmacSha256(
    epochSecret,
    ["tidemark epoch key 1", namespace, epoch, prev, nonce].join("\n"),
  );
}

/** What the log says of an epoch's keys (EE7): everybody has the same ones, or knows it. */
export function commitOf(
  sha256: Sha256,
  { epoch, key, names }: Pick<EpochKey, "epoch" | "key" | "names">,
): string {
  const parts = [epoch, base64url.encode(key), base64url.encode(names)];
  return hex(sha256(["tidemark epoch 1", ...parts].join("\n")));
}
