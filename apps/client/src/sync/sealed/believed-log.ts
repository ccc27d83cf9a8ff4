import { readLog, type LogRefusal, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { SealedParts } from "./own-keys.ts";
import { logDeps } from "./log-entries.ts";

const told: Readonly<Record<LogRefusal["why"], string>> = {
  foreign: "the server gave the log of another namespace",
  "broken-chain": "the log of its members was cut or put together anew",
  "bad-signature": "its log has an entry that its signer did not sign",
  unreadable: "its log has an entry that cannot be read",
  "not-allowed": "its log has an entry that its signer may not make",
  "rolled-back": "the server gave an older or another log than this device has seen",
};

/**
 * Reads a log against what this device has seen of it. One that is not to be believed is kept as the
 * trouble of the namespace, and nothing is sent there until a log comes that is (EE10).
 */
export async function believedLog(
  { store, sha256, self }: SealedParts,
  namespace: NamespaceId,
  entries: readonly string[],
): Promise<LogState | undefined> {
  const seen = store.sealing(namespace);
  const pin = seen === undefined || seen.length === 0 ? undefined : seen;
  const log = await readLog(logDeps(sha256), entries, { namespace, pin });
  if ("why" in log) {
    store.distrust(namespace, `${told[log.why]} (entry ${log.at + 1})`);
    return undefined;
  }
  const own = log.devices.get(self.keys.device);
  if (own !== undefined && (own.sig !== self.keys.sig || own.enc !== self.keys.enc)) {
    store.distrust(namespace, "its log names other keys for this device than it has");
    return undefined;
  }
  return log;
}
