import { hex, type LogBody, type LogDeps, type Sha256 } from "@tidemark/protocol";
import type { JWK } from "jose";
import { signText, unverifiedText, verifyText } from "./signed-text.ts";

const entryType = "tidemark-log+jws";

/** Who signs entries. */
export interface LogSigner {
  readonly device: string;
  /** Its private Ed25519 key. */
  readonly jwk: JWK;
}

/** What an entry says beside who signs it and what it follows. */
export type Said = LogBody extends infer Body
  ? Body extends { readonly kind: "genesis" }
    ? never
    : Omit<Body & object, "prev" | "by">
  : never;

/** What reading logs needs on this side. */
export function logDeps(sha256: Sha256): LogDeps {
  return {
    sha256,
    verify: (entry, sig) => verifyText(entry, { type: entryType, sig }),
    unverified: unverifiedText,
  };
}

/** Signs the first entry of a log. */
export async function signGenesis(
  { jwk }: LogSigner,
  body: Extract<LogBody, { kind: "genesis" }>,
): Promise<string> {
  return await signText(jwk, { type: entryType, payload: body });
}

/** Entries, and what the last one of the log with them hashes to. */
export interface SignedEntries {
  readonly entries: readonly string[];
  readonly head: string;
}

/** Signs entries that go on from a log whose last one hashes to `head`. */
export async function signEntries(
  sha256: Sha256,
  { device, jwk }: LogSigner,
  { head, said }: { readonly head: string; readonly said: readonly Said[] },
): Promise<SignedEntries> {
  const entries: string[] = [];
  let prev = head;
  for (const each of said) {
    const entry = await signText(jwk, { type: entryType, payload: { ...each, prev, by: device } });
    prev = hex(sha256(entry));
    entries.push(entry);
  }
  return { entries, head: prev };
}
