import type { LogDevice, LogState } from "@tidemark/protocol";
import { wrapsMax, type KeysAnswer, type KeyWrap } from "@tidemark/protocol/wire";
import type { Answer } from "../transport.ts";
import { epochKeysOf, wrapsFor, type Opened } from "./handed-keys.ts";
import { membersOf } from "./next-epoch.ts";
import type { SealedParts } from "./own-keys.ts";
import { isRecovery } from "./recovery-holder.ts";

/** A believed log, the keys that are here, and what the server told of both. */
interface Handing {
  readonly log: LogState;
  readonly held: Opened;
  readonly answer: KeysAnswer;
}

/**
 * Hands keys anew to whom of the log the server has none of them for, the recovery code too: one that
 * was set back has lost them, and who gave the log back may not hand out everybody's (EE20). Nor may
 * who is an admin by the log alone: their own devices get theirs all the same (EE32).
 */
export async function handMissingKeys(
  parts: SealedParts,
  handing: Handing,
  signal: AbortSignal,
): Promise<void> {
  const { log } = handing;
  const own = log.devices.get(parts.self.keys.device);
  if (own === undefined || own.isRemoved) return;
  const members = membersOf(log);
  const theirs = members.filter(({ user }) => user === own.user);
  const given = await hand(parts, handing, own.role === "admin" ? members : theirs, signal);
  if (given?.ok === false && given.error.code === "forbidden") {
    await hand(parts, handing, theirs, signal);
  }
}

/** Undefined: the server lacks nothing for any of these. */
async function hand(
  { api, self }: SealedParts,
  { log, held, answer }: Handing,
  members: readonly LogDevice[],
  signal: AbortSignal,
): Promise<Answer<KeysAnswer> | undefined> {
  const named = new Set(answer.devices.map(({ id }) => id));
  const isThere = lookup(answer, held.keys.epochs.size);
  const wraps: KeyWrap[] = [];
  for (const to of members) {
    if (wraps.length >= wrapsMax) break;
    if (!(named.has(to.device) || isRecovery(to.device))) continue;
    const keys = epochKeysOf(held).filter(({ epoch }) => !isThere(to.device, epoch));
    wraps.push(...(await wrapsFor(self, log.namespace, { keys, to: [to] })));
  }
  if (wraps.length === 0) return undefined;
  // What does not fit or is not taken is handed out the next time.
  const request = { after: log.length, entries: [], wraps: wraps.slice(0, wrapsMax) };
  return await api.change(log.namespace, request, signal);
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
