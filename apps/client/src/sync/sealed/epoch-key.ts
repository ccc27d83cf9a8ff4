import { hex, type Sha256 } from "@tidemark/protocol";
import { base64url } from "jose";
import type { Random } from "../ports.ts";

/** Bytes of a key of an epoch, and of the one that hides names. */
export const keyBytes = 32;

/** What a wrap hands on: the key of an epoch, the one that hides names, and what members call it. */
export interface EpochKey {
  readonly epoch: number;
  /** 32 bytes each. */
  readonly key: Uint8Array;
  readonly names: Uint8Array;
  readonly name: string;
}

/** Draws the key of a new epoch. */
export function newEpochKey(random: Random, told: Omit<EpochKey, "key">): EpochKey {
  return { ...told, key: random.bytes(keyBytes) };
}

/** What the log says of an epoch's keys (EE7): everybody has the same ones, or knows it. */
export function commitOf(
  sha256: Sha256,
  { epoch, key, names }: Pick<EpochKey, "epoch" | "key" | "names">,
): string {
  const parts = [epoch, base64url.encode(key), base64url.encode(names)];
  return hex(sha256(["tidemark epoch 1", ...parts].join("\n")));
}
