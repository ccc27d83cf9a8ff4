import type { LogDevice, LogState } from "@tidemark/protocol";
import type { KeysRequest } from "@tidemark/protocol/wire";
import type { DeviceKeys } from "./device-statement.ts";
import { commitOf, keyBegunBy, nonceBytes } from "./epoch-key.ts";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { signEntries } from "./log-entries.ts";
import type { SealedParts } from "./own-keys.ts";

/** Who is not there any more with a new epoch, and who is for the first time. */
export interface Turnover {
  readonly gone?: readonly string[];
  /** Let in as an admin; given the keys of before as well. */
  readonly joining?: DeviceKeys | undefined;
}

/** Takes devices out of a log and begins an epoch that they have no key of (EE15), in one step. */
export async function nextEpoch(
  parts: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  { gone = [], joining }: Turnover = {},
): Promise<KeysRequest> {
  const { self, sha256, random } = parts;
  const { namespace, length: after } = log;
  const signer = { device: self.keys.device, jwk: self.sign };
  const removed = await signEntries(sha256, signer, {
    head: log.head,
    said: gone.map((device) => ({ kind: "remove", device }) as const),
  });
  const epoch = log.epoch + 1;
  const nonce = Buffer.from(random.bytes(nonceBytes)).toString("hex");
  const place = { namespace, epoch, prev: removed.head, nonce };
  const key = keyBegunBy(parts, self, place);
  const epochKey = { epoch, key, names: held.keys.names, name: held.name };
  const begun = await signEntries(sha256, signer, {
    head: removed.head,
    said: [
      { kind: "epoch", epoch, commit: commitOf(sha256, epochKey), nonce },
      ...(joining === undefined ? [] : [{ kind: "admit", keys: joining, role: "admin" } as const]),
    ],
  });
  const entries = [...removed.entries, ...begun.entries];
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
