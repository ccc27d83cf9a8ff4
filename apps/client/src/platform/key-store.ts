import { fail, ok, type Result } from "@tidemark/protocol";
import { newDeviceKey, parseDeviceKey, type DeviceKey } from "./device-key.ts";
import {
  keychainFileText,
  keyFileText,
  readKeyFile,
  type FileReason,
  type StoredKey,
} from "./key-file.ts";
import type { Keychain, KeychainFailure } from "./keychain/keychain.ts";
import { replacePrivateFile, type FileError } from "./private-file.ts";

/** What keeping the key needs. */
export interface KeyStoreDeps {
  /** Of the key file. */
  readonly path: string;
  readonly keychain: Keychain;
  /** Runs one change of the key at a time among the programs of a home; undefined: no turn came. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

/** Why the key cannot be used, or moved. */
export type KeyTrouble =
  | FileError
  | { readonly kind: "bad-key"; readonly path: string }
  | { readonly kind: "keychain"; readonly why: KeychainFailure | "no-entry" }
  /** It did not take the key, which stays where it is. */
  | { readonly kind: "not-taken"; readonly why: KeychainFailure }
  /** Another program is at the key. */
  | { readonly kind: "busy" }
  | { readonly kind: "no-key" };

/** How a move ended. */
export interface KeyMove {
  readonly place: "file" | "keychain";
  readonly hasMoved: boolean;
  /** Whether the place it came from may still have a copy. */
  readonly isLeftBehind: boolean;
}

/** Loads the key, from wherever it lies; undefined if there is none yet. */
export async function loadKey(
  deps: KeyStoreDeps,
): Promise<Result<DeviceKey | undefined, KeyTrouble>> {
  const file = readKeyFile(deps.path);
  if (!file.ok || file.value === undefined) return file as Result<undefined, FileError>;
  const key = await keyOf(deps, file.value);
  if (key.ok || key.error.kind !== "keychain" || key.error.why !== "no-entry") return key;
  // It may have been moved to the file between the two looks.
  const again = readKeyFile(deps.path);
  const hasMoved = again.ok && again.value?.place === "file";
  return hasMoved ? await keyOf(deps, again.value) : key;
}

/**
 * Loads the key, or makes it: in the keychain where that takes it in time, else in a file of mode
 * 0600 that says why (OPS48). A key that is there stays where it is. Of two programs that make it at
 * once one wins, and both use the winner's.
 */
export async function loadOrMakeKey(deps: KeyStoreDeps): Promise<Result<DeviceKey, KeyTrouble>> {
  const known = await loadKey(deps);
  if (!known.ok) return known;
  if (known.value !== undefined) return ok(known.value);
  const made = await deps.inTurn(async () => {
    const winner = await loadKey(deps);
    if (!winner.ok) return winner;
    if (winner.value !== undefined) return ok(winner.value);
    return await makeKey(deps, (text) => replacePrivateFile(deps.path, text));
  });
  return made ?? fail({ kind: "busy" });
}

/** Makes a new key in the place of the old one, which is gone then; in a file where that was. */
export async function renewKey(deps: KeyStoreDeps): Promise<Result<DeviceKey, KeyTrouble>> {
  const renewed = await deps.inTurn(async (): Promise<Result<DeviceKey, KeyTrouble>> => {
    const before = readKeyFile(deps.path);
    if (!before.ok) return before;
    const write = (text: string): Result<void, FileError> => replacePrivateFile(deps.path, text);
    if (before.value?.place === "file") return makeKeyFile(before.value.why, write);
    const made = await makeKey(deps, write);
    if (made.ok && before.value !== undefined) await deps.keychain.remove(before.value.thumbprint);
    return made;
  });
  return renewed ?? fail({ kind: "busy" });
}

/**
 * Moves the key. It is written to its new place and read back from there, then one rename of the
 * key file decides, then the old place is emptied: whoever is killed in between has the key, and
 * asking again finishes the move.
 */
export async function moveKey(
  deps: KeyStoreDeps,
  to: "file" | "keychain",
): Promise<Result<KeyMove, KeyTrouble>> {
  const moved = await deps.inTurn(async (): Promise<Result<KeyMove, KeyTrouble>> => {
    const file = readKeyFile(deps.path);
    if (!file.ok) return file;
    if (file.value === undefined) return fail({ kind: "no-key" });
    const { place } = file.value;
    const key = await keyOf(deps, file.value);
    if (!key.ok) return key;
    if (to === "keychain") {
      if (place === to) return ok({ place, hasMoved: false, isLeftBehind: false });
      return await toKeychain(deps, key.value);
    }
    return await toFile(deps, key.value, place);
  });
  return moved ?? fail({ kind: "busy" });
}

async function toKeychain(
  { path, keychain }: KeyStoreDeps,
  key: DeviceKey,
): Promise<Result<KeyMove, KeyTrouble>> {
  const { thumbprint } = key;
  const kept = await keychain.keep(thumbprint, JSON.stringify(key.privateJwk()));
  if (!kept.ok) return fail({ kind: "not-taken", why: kept.error });
  // By a process of its own once more: what only the one that wrote it sees is not kept.
  const back = await readKey(keychain, thumbprint);
  if (!back.ok) return fail({ kind: "not-taken", why: "garbled" });
  const written = replacePrivateFile(path, keychainFileText(thumbprint));
  return written.ok ? ok({ place: "keychain", hasMoved: true, isLeftBehind: false }) : written;
}

async function toFile(
  { path, keychain }: KeyStoreDeps,
  key: DeviceKey,
  place: StoredKey["place"],
): Promise<Result<KeyMove, KeyTrouble>> {
  if (place === "keychain") {
    const written = replacePrivateFile(path, keyFileText(key.privateJwk(), "asked"));
    if (!written.ok) return written;
    const back = readKeyFile(path);
    if (!back.ok) return back;
  }
  // Also where it lay in the file before: a move that was cut off may have left an entry.
  const removed = await keychain.remove(key.thumbprint);
  const hasMoved = place === "keychain";
  return ok({ place: "file", hasMoved, isLeftBehind: hasMoved && !removed.ok });
}

async function makeKey(
  { keychain }: KeyStoreDeps,
  write: (text: string) => Result<void, FileError>,
): Promise<Result<DeviceKey, KeyTrouble>> {
  if (keychain.unfit !== undefined) return makeKeyFile(keychain.unfit, write);
  const key = newDeviceKey();
  const kept = await keychain.keep(key.thumbprint, JSON.stringify(key.privateJwk()));
  // What came late may have reached the keychain all the same: that key is nobody's.
  if (!kept.ok) return makeKeyFile(kept.error, write);
  const written = write(keychainFileText(key.thumbprint));
  if (written.ok) return ok(key);
  await keychain.remove(key.thumbprint);
  return written;
}

function makeKeyFile(
  why: FileReason | undefined,
  write: (text: string) => Result<void, FileError>,
): Result<DeviceKey, KeyTrouble> {
  const key = newDeviceKey();
  const written = write(keyFileText(key.privateJwk(), why));
  return written.ok ? ok(key) : written;
}

async function keyOf(
  deps: KeyStoreDeps,
  stored: StoredKey,
): Promise<Result<DeviceKey, KeyTrouble>> {
  if (stored.place === "keychain") return await readKey(deps.keychain, stored.thumbprint);
  const key = parseDeviceKey(stored.text);
  return key === undefined ? fail({ kind: "bad-key", path: deps.path }) : ok(key);
}

async function readKey(
  keychain: Keychain,
  thumbprint: string,
): Promise<Result<DeviceKey, KeyTrouble>> {
  const text = await keychain.read(thumbprint);
  if (!text.ok) return fail({ kind: "keychain", why: text.error });
  if (text.value === undefined) return fail({ kind: "keychain", why: "no-entry" });
  const key = parseDeviceKey(text.value);
  if (key?.thumbprint === thumbprint) return ok(key);
  return fail({ kind: "keychain", why: "garbled" });
}
