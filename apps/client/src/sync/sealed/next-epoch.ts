import type { LogDevice, LogState } from "@tidemark/protocol";
import type { KeysRequest } from "@tidemark/protocol/wire";
import { commitOf, type EpochKey } from "./epoch-key.ts";
import { wrapsForAll, type Opened } from "./handed-keys.ts";
import { signEntries, type Said } from "./log-entries.ts";
import type { SealedParts } from "./own-keys.ts";

const keyBytes = 32;

/** Takes devices out of a log and begins an epoch that they have no key of (EE15). */
export async function nextEpoch(
  { self, sha256, random }: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  gone: readonly string[],
): Promise<KeysRequest> {
  const epochKey: EpochKey = {
    epoch: log.epoch + 1,
    key: random.bytes(keyBytes),
    names: held.keys.names,
    name: held.name,
  };
  const said: readonly Said[] = [
    ...gone.map((device) => ({ kind: "remove", device }) as const),
    { kind: "epoch", epoch: epochKey.epoch, commit: commitOf(sha256, epochKey) },
  ];
  const signer = { device: self.keys.device, jwk: self.sign };
  const entries = await signEntries(sha256, signer, { head: log.head, said });
  const left = membersOf(log).filter(({ device }) => !gone.includes(device));
  const wraps = await wrapsForAll(self, epochKey, { namespace: log.namespace, devices: left });
  return { after: log.length, entries, wraps };
}

/** The devices that a log has let in and not taken out. */
export function membersOf({ devices }: Pick<LogState, "devices">): readonly LogDevice[] {
  return [...devices.values()].filter(({ isRemoved }) => !isRemoved);
}
