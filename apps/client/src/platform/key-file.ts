import { ok, type Result } from "@tidemark/protocol";
import type { KeychainFailure } from "./keychain/keychain.ts";
import { readPrivateFile, type FileError } from "./private-file.ts";

/** Why a key lies in a file: what the keychain lacked, or somebody's wish. */
export type FileReason = KeychainFailure | "asked";

/**
 * Where the device's key lies. The key file always says so: it holds the key, or names the entry of
 * the keychain that does. One rename moves the key from one to the other (OPS48).
 */
export type StoredKey =
  | {
      readonly place: "file";
      /** The file's text, an Ed25519 private key as a JWK. */
      readonly text: string;
      /** Undefined where it does not say. */
      readonly why: FileReason | undefined;
    }
  | { readonly place: "keychain"; readonly thumbprint: string };

/** The place without the key, for show. */
export interface KeyPlace {
  readonly place: "file" | "keychain";
  /** Why it is a file; null where that is not known. */
  readonly reason: FileReason | null;
}

/** Reads the key file; undefined if there is none yet. */
export function readKeyFile(path: string): Result<StoredKey | undefined, FileError> {
  const text = readPrivateFile(path);
  if (!text.ok) return text;
  return ok(text.value === undefined ? undefined : storedKeyOf(text.value));
}

/** Where the key lies, without asking the keychain; undefined if there is none, or it is unusable. */
export function readKeyPlace(path: string): KeyPlace | undefined {
  const file = readKeyFile(path);
  if (!file.ok || file.value === undefined) return undefined;
  if (file.value.place === "keychain") return { place: "keychain", reason: null };
  return { place: "file", reason: file.value.why ?? null };
}

/** The place in words for a person. */
export function keyPlaceText({ place, reason }: KeyPlace, path?: string): string {
  if (place === "keychain") return "in the keychain of this system";
  const file = path === undefined ? "in a file" : `in the file ${path}`;
  return `${file}, open to you alone${reason === null ? "" : ` (${fileReasons[reason]})`}`;
}

/** The text of a key file that holds the key; other programs that read a JWK pass over `why`. */
export function keyFileText(jwk: object, why: FileReason | undefined): string {
  return `${JSON.stringify(why === undefined ? jwk : { ...jwk, why })}\n`;
}

/** The text of a key file that names an entry of the keychain. */
export function keychainFileText(thumbprint: string): string {
  return `${JSON.stringify({ place: "keychain", thumbprint })}\n`;
}

/** In words for a person. */
export const fileReasons: Readonly<Record<FileReason, string>> = {
  "no-keychain": "this system has no keychain that tidemark knows",
  "no-session": "no desktop session runs here that would hold a keychain open",
  "over-ssh": "over SSH nobody could unlock a keychain",
  "not-installed": "the package @napi-rs/keyring is not installed for this system",
  "no-answer": "the keychain did not answer in time",
  refused: "the keychain is locked or refused",
  garbled: "the keychain gave back something else than it was given",
  asked: "as you asked",
};

/** What is no such pointer is a key, or a damaged one: whoever loads it will say. */
function storedKeyOf(text: string): StoredKey {
  const { place, thumbprint, why } = membersOf(text);
  if (place === "keychain" && typeof thumbprint === "string" && /^[\w-]{43}$/u.test(thumbprint)) {
    return { place, thumbprint };
  }
  return { place: "file", text, why: isReason(why) ? why : undefined };
}

function isReason(value: unknown): value is FileReason {
  return typeof value === "string" && Object.hasOwn(fileReasons, value);
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
