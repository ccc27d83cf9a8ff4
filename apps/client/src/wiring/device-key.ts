import { dirname, join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import { systemClock } from "../platform/clock.ts";
import { forbidCore } from "../platform/core-dump.ts";
import type { DeviceKey } from "../platform/device-key.ts";
import { fileReasons } from "../platform/key-file.ts";
import {
  loadKey,
  loadOrMakeKey,
  moveKey,
  renewKey,
  type KeyMove,
  type KeyStoreDeps,
  type KeyTrouble,
} from "../platform/key-store.ts";
import { keychainMsMax, systemKeychain, type Keychain } from "../platform/keychain/keychain.ts";
import { restingKeychain } from "../platform/keychain/resting.ts";
import { ownUid } from "../platform/private-file.ts";
import { hasPerson, programPath, systemName } from "../platform/program.ts";
import type { Home } from "./home.ts";
import { UserError } from "./user-error.ts";
import { waitTurn } from "./wait-turn.ts";

/** How long somebody who sits at the terminal has to unlock the keychain, in milliseconds. */
const personMsMax = 30_000;

/** Who wants the key. */
export interface KeyUse {
  /** Nobody waits for it, or is there to unlock a keychain. */
  readonly isBackground: boolean;
}

/** The key of a device that has one. Throws a {@link UserError} where it cannot be used. */
export async function useDeviceKey(home: Home, use: KeyUse): Promise<DeviceKey> {
  forbidCore();
  const key = told(home, await loadKey(keyDeps(home, use)));
  if (key !== undefined) return key;
  throw userError(home, { kind: "no-key" });
}

/** The same, and makes the key where there is none. */
export async function useOrMakeDeviceKey(home: Home): Promise<DeviceKey> {
  forbidCore();
  return told(home, await loadOrMakeKey(keyDeps(home)));
}

/** A new key in the place of the old one. */
export async function renewDeviceKey(home: Home): Promise<DeviceKey> {
  forbidCore();
  return told(home, await renewKey(keyDeps(home)));
}

/** Moves the key between the keychain and a file. */
export async function moveDeviceKey(home: Home, to: "file" | "keychain"): Promise<KeyMove> {
  forbidCore();
  return told(home, await moveKey(keyDeps(home), to));
}

/** Tries the key; gives what is wrong with it. Undefined where there is none. */
export async function tryDeviceKey(
  home: Home,
): Promise<Result<DeviceKey | undefined, { readonly message: string; readonly hint: string }>> {
  forbidCore();
  const keychain = keychainOf(home, { waitMs: keychainMsMax, isUrgent: true });
  const key = await loadKey({ ...keyDeps(home), keychain });
  return key.ok ? ok(key.value) : fail(keyTrouble(home, key.error));
}

/** Whether the key is one that this home names and no keychain gives: a copied home has none. */
export async function isDeviceKeyLost(home: Home): Promise<boolean> {
  const key = await loadKey(keyDeps(home));
  return !key.ok && key.error.kind === "keychain";
}

function keyDeps(home: Home, { isBackground }: KeyUse = { isBackground: false }): KeyStoreDeps {
  const waitMs = hasPerson() && !isBackground ? personMsMax : keychainMsMax;
  return {
    path: home.paths.deviceKey,
    keychain: keychainOf(home, { waitMs, isUrgent: !isBackground }),
    inTurn: keyTurn(join(home.paths.stateHome, "key.lock")),
  };
}

function keychainOf(
  { env, paths, config }: Home,
  { waitMs, isUrgent }: { readonly waitMs: number; readonly isUrgent: boolean },
): Keychain {
  const keychain = systemKeychain({
    env,
    isWanted: config.keychain,
    platform: systemName(),
    uid: ownUid(),
    program: join(dirname(programPath()), "keychain.mjs"),
    waitMs: keychainMsMax,
    readWaitMs: waitMs,
  });
  const path = join(paths.stateHome, "keychain.rest");
  return restingKeychain(keychain, { clock: systemClock, path, isUrgent });
}

/** Turns at the key among the programs of a home. */
function keyTurn(folder: string): KeyStoreDeps["inTurn"] {
  return async (work) => {
    const turn = await waitTurn(folder);
    if (!turn.ok) return undefined;
    try {
      return await work();
    } finally {
      turn.value.release();
    }
  };
}

function told<T>(home: Home, result: Result<T, KeyTrouble>): T {
  if (result.ok) return result.value;
  throw userError(home, result.error);
}

function userError(home: Home, trouble: KeyTrouble): UserError {
  const code = trouble.kind === "keychain" ? "keychain" : "device-key";
  return new UserError({ code, ...keyTrouble(home, trouble) });
}

/** Pairs anew under a new key, and says so: the device that the server knows stays as it is. */
const anew = "`tidemark pair <link> --new-key` makes this home a new device; what it holds is kept";

function keyTrouble(
  { paths }: Home,
  trouble: KeyTrouble,
): { readonly message: string; readonly hint: string } {
  const { deviceKey } = paths;
  switch (trouble.kind) {
    case "keychain":
      return keychainTrouble(trouble.why);
    case "not-taken":
      return {
        message: `the device's key stays in its file: ${fileReasons[trouble.why]}`,
        hint: "unlock the keychain, in your desktop session, and try again",
      };
    case "bad-key": {
      const hint = "the key file is damaged; move it away and pair this device again";
      return { message: `${deviceKey} cannot be used`, hint };
    }
    case "no-key": {
      const hint = "move device.json away and pair this device again; what it holds is kept";
      return { message: `the device's key ${deviceKey} is missing`, hint };
    }
    case "busy":
      return { message: "another program is at the device's key", hint: "try again in a moment" };
    case "unsafe-file":
    case "exists":
    case "io":
      return { message: `${trouble.path} cannot be used`, hint: trouble.hint };
  }
}

function keychainTrouble(why: Extract<KeyTrouble, { kind: "keychain" }>["why"]): {
  readonly message: string;
  readonly hint: string;
} {
  if (why === "no-entry") {
    const message =
      "this device's key is not in this keychain: is this home a copy from elsewhere?";
    return { message, hint: anew };
  }
  const message = `this device's key is in the keychain, but ${fileReasons[why]}`;
  const unlock = "unlock it, or run this in your desktop session, and try again";
  return { message, hint: `${unlock}; is it gone for good, ${anew}` };
}
