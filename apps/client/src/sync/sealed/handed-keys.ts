import type { LogDevice, LogState, NamespaceId, NamespaceKeys } from "@tidemark/protocol";
import type { KeyWrap } from "@tidemark/protocol/wire";
import type { EpochKey } from "./epoch-key.ts";
import { openWrap, wrapKey } from "./key-wrap.ts";
import type { Holder, SealedParts } from "./own-keys.ts";

/** Keys that wraps held, and what the members call the namespace. */
export interface Opened {
  readonly keys: NamespaceKeys;
  readonly name: string;
}

/** Opens the wraps for a holder; undefined where none of them is of use. */
export async function openWraps(
  { sha256 }: Pick<SealedParts, "sha256">,
  holder: Holder,
  { log, wraps }: { readonly log: LogState; readonly wraps: readonly KeyWrap[] },
): Promise<Opened | undefined> {
  const device = holder.keys.device;
  const opened: EpochKey[] = [];
  for (const { epoch, recipient, wrap } of wraps) {
    if (recipient !== device) continue;
    const key = await openWrap({ sha256, log, device, jwk: holder.open }, { epoch, wrap });
    if (typeof key !== "string") opened.push(key);
  }
  const last = opened.toSorted((left, right) => left.epoch - right.epoch).at(-1);
  if (last === undefined) return undefined;
  const epochs = new Map(opened.map(({ epoch, key }) => [epoch, key]));
  return { keys: { namespace: log.namespace, names: last.names, epochs }, name: last.name };
}

/** Wraps every key that is held for a device of the log. */
export async function wrapsFor(
  self: Holder,
  held: Opened,
  to: Pick<LogDevice, "device" | "enc">,
): Promise<readonly KeyWrap[]> {
  const { keys, name } = held;
  const wraps: KeyWrap[] = [];
  for (const [epoch, key] of keys.epochs) {
    const epochKey = { epoch, key, names: keys.names, name };
    const wrap = await wrapKey(wrapping(keys.namespace, self, to), epochKey);
    wraps.push({ epoch, recipient: to.device, wrap });
  }
  return wraps;
}

/** Wraps one epoch's key for each device that is in. */
export async function wrapsForAll(
  self: Holder,
  epochKey: EpochKey,
  {
    namespace,
    devices,
  }: { readonly namespace: NamespaceId; readonly devices: readonly LogDevice[] },
): Promise<readonly KeyWrap[]> {
  const wraps: KeyWrap[] = [];
  for (const to of devices) {
    const wrap = await wrapKey(wrapping(namespace, self, to), epochKey);
    wraps.push({ epoch: epochKey.epoch, recipient: to.device, wrap });
  }
  return wraps;
}

function wrapping(namespace: NamespaceId, self: Holder, to: Pick<LogDevice, "device" | "enc">) {
  return { namespace, by: { device: self.keys.device, jwk: self.sign }, to };
}
