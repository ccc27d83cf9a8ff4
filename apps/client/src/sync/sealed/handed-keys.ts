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

/** All keys that are held, one for each epoch. */
export function epochKeysOf({ keys: { names, epochs }, name }: Opened): readonly EpochKey[] {
  return [...epochs].map(([epoch, key]) => ({ epoch, key, names, name }));
}

/** Wraps each key for each device. */
export async function wrapsFor(
  self: Holder,
  namespace: NamespaceId,
  handed: {
    readonly keys: readonly EpochKey[];
    readonly to: readonly Pick<LogDevice, "device" | "enc">[];
  },
): Promise<readonly KeyWrap[]> {
  const by = { device: self.keys.device, jwk: self.sign };
  const wraps: KeyWrap[] = [];
  for (const to of handed.to) {
    for (const key of handed.keys) {
      const wrap = await wrapKey({ namespace, by, to }, key);
      wraps.push({ epoch: key.epoch, recipient: to.device, wrap });
    }
  }
  return wraps;
}
