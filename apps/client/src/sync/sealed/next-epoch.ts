import type { LogDevice, LogState } from "@tidemark/protocol";
import type { KeysRequest } from "@tidemark/protocol/wire";
import type { DeviceKeys } from "./device-statement.ts";
import { commitOf, newEpochKey } from "./epoch-key.ts";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { signEntries, type Said } from "./log-entries.ts";
import type { SealedParts } from "./own-keys.ts";

/** Who is not there any more with a new epoch, and who is for the first time. */
export interface Turnover {
  readonly gone?: readonly string[];
  /** Let in as an admin; given the keys of before as well. */
  readonly joining?: DeviceKeys | undefined;
}

/** Takes devices out of a log and begins an epoch that they have no key of (EE15), in one step. */
export async function nextEpoch(
  { self, sha256, random }: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  { gone = [], joining }: Turnover = {},
): Promise<KeysRequest> {
  const { namespace, head, length: after } = log;
  const { names } = held.keys;
  const epochKey = newEpochKey(random, { epoch: log.epoch + 1, names, name: held.name });
  const said: readonly Said[] = [
    ...gone.map((device) => ({ kind: "remove", device }) as const),
    { kind: "epoch", epoch: epochKey.epoch, commit: commitOf(sha256, epochKey) },
    ...(joining === undefined ? [] : [{ kind: "admit", keys: joining, role: "admin" } as const]),
  ];
  const signer = { device: self.keys.device, jwk: self.sign };
  const entries = await signEntries(sha256, signer, { head, said });
  const left = membersOf(log).filter(({ device }) => !gone.includes(device));
  const wraps = await wrapsFor(self, namespace, { keys: [epochKey], to: left });
  const all = {
    keys: [...epochKeysOf(held), epochKey],
    to: joining === undefined ? [] : [joining],
  };
  return { after, entries, wraps: [...wraps, ...(await wrapsFor(self, namespace, all))] };
}

/** The devices that a log has let in and not taken out. */
export function membersOf({ devices }: Pick<LogState, "devices">): readonly LogDevice[] {
  return [...devices.values()].filter(({ isRemoved }) => !isRemoved);
}
