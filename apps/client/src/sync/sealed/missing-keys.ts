import type { LogState } from "@tidemark/protocol";
import { wrapsMax, type KeysAnswer } from "@tidemark/protocol/wire";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import type { SealedParts } from "./own-keys.ts";

/**
 * Hands keys anew to devices of the log for which the server has fewer than there are here: one that
 * was set back has lost them, and who gave the log back may not hand out everybody's (EE20).
 */
export async function handMissingKeys(
  { api, self }: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  { devices }: KeysAnswer,
  signal: AbortSignal,
): Promise<void> {
  const own = log.devices.get(self.keys.device);
  if (own === undefined || own.isRemoved) return;
  const to = devices.flatMap(({ id, wraps }) => {
    const device = log.devices.get(id);
    if (device === undefined || device.isRemoved) return [];
    const isMine = own.role === "admin" || device.user === own.user;
    return isMine && wraps !== undefined && wraps < held.keys.epochs.size ? [device] : [];
  });
  if (to.length === 0) return;
  const wraps = await wrapsFor(self, log.namespace, { keys: epochKeysOf(held), to });
  // What does not fit or is not taken is handed out the next time.
  const request = { after: log.length, entries: [], wraps: wraps.slice(0, wrapsMax) };
  await api.change(log.namespace, request, signal);
}
