import type { LogState } from "@tidemark/protocol";
import { wrapsMax, type KeysAnswer, type KeyWrap } from "@tidemark/protocol/wire";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { membersOf } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";

/**
 * Hands keys anew to whom of the log the server has none of them for, the recovery code too: one that
 * was set back has lost them, and who gave the log back may not hand out everybody's (EE20).
 */
export async function handMissingKeys(
  { api, self }: SealedParts,
  { log, held }: { readonly log: LogState; readonly held: Opened },
  answer: KeysAnswer,
  signal: AbortSignal,
): Promise<void> {
  const own = log.devices.get(self.keys.device);
  if (own === undefined || own.isRemoved) return;
  const named = new Set(answer.devices.map(({ id }) => id));
  const isThere = lookup(answer, held.keys.epochs.size);
  const wraps: KeyWrap[] = [];
  for (const to of membersOf(log)) {
    if (wraps.length >= wrapsMax) break;
    const isMine = own.role === "admin" || to.user === own.user;
    if (!isMine || !(named.has(to.device) || isRecovery(to.device))) continue;
    const keys = epochKeysOf(held).filter(({ epoch }) => !isThere(to.device, epoch));
    wraps.push(...(await wrapsFor(self, log.namespace, { keys, to: [to] })));
  }
  if (wraps.length === 0) return;
  // What does not fit or is not taken is handed out the next time.
  const request = { after: log.length, entries: [], wraps: wraps.slice(0, wrapsMax) };
  await api.change(log.namespace, request, signal);
}

/** Whether a server says that it has a key for somebody. One of before tells how many of all it has. */
function lookup(
  { recipients, devices }: KeysAnswer,
  all: number,
): (device: string, epoch: number) => boolean {
  if (recipients !== undefined) {
    const lacking = new Map(recipients.map(({ id, lacks }) => [id, new Set(lacks)]));
    return (device, epoch) => lacking.get(device)?.has(epoch) === false;
  }
  const counts = new Map(devices.map(({ id, wraps }) => [id, wraps]));
  return (device) => (counts.get(device) ?? all) >= all;
}
