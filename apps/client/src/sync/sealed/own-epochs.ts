import type { LogState, NamespaceKeys } from "@tidemark/protocol";
import { commitOf, keyBegunBy } from "./epoch-key.ts";
import type { SealedParts } from "./own-keys.ts";

/**
 * Keys with those of the epochs that this device began and that are not among them, made again: their
 * wraps lay with the server alone until it answered, and it may have lost them since (EE23).
 */
export function withOwnEpochs(
  parts: Pick<SealedParts, "self" | "sha256" | "hmacSha256">,
  log: LogState,
  keys: NamespaceKeys,
): NamespaceKeys {
  const { self, sha256 } = parts;
  const { namespace, names } = keys;
  const epochs = new Map(keys.epochs);
  for (const [epoch, { commit, begun }] of log.epochs) {
    if (epochs.has(epoch) || begun?.by !== self.keys.device) continue;
    const key = keyBegunBy(parts, self, { namespace, epoch, ...begun });
    if (commitOf(sha256, { epoch, key, names }) === commit) epochs.set(epoch, key);
  }
  return { ...keys, epochs };
}
