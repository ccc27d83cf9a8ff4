import { fail, ok, type LogState, type NamespaceId } from "@tidemark/protocol";
import type { KeysAnswer, KeysRequest, KeyWrap } from "@tidemark/protocol/wire";
import { accessError, type AccessError, type Done } from "../access/access-error.ts";
import type { Failure } from "../transport.ts";
import { signEntries, type Said } from "./log-entries.ts";
import type { Holder, SealedParts } from "./own-keys.ts";
import { fullLog, overtaken } from "./refusals.ts";
import { isBehind, readKeys } from "./set-back-log.ts";
import { takeKeys, type Taken } from "./taken-keys.ts";

/** Times that a change is tried where others change the log meanwhile. */
export const triesMax = 4;

/** A believed log with what the server told beside it. */
export interface Standing extends Taken {
  readonly answer: KeysAnswer;
}

/** How it stands with a namespace now. */
export async function readStanding(
  parts: SealedParts,
  namespace: NamespaceId,
  signal: AbortSignal,
): Done<Standing> {
  const read = await readKeys(parts, namespace, signal);
  if (!read.ok) return fail(accessError(read.error));
  const taken = await takeKeys(parts, namespace, read.value);
  return taken.ok ? ok({ ...taken.value, answer: read.value }) : taken;
}

/** Changes a log, and takes what it is then. */
export async function change(
  parts: SealedParts,
  namespace: NamespaceId,
  request: KeysRequest,
  signal: AbortSignal,
): Done<Taken> {
  const changed = await parts.api.change(namespace, request, signal);
  if (!changed.ok) return fail(whyNot(changed.error));
  // What was asked for has been done: where this device has read on meanwhile, in another process too,
  // only how it stands is to be read once more (EE35).
  if (!isBehind(parts, namespace, changed.value)) {
    const taken = await takeKeys(parts, namespace, changed.value);
    if (taken.ok || taken.error.code !== overtaken.code) return taken;
  }
  return await untilFirst(() => readStanding(parts, namespace, signal));
}

function whyNot(failure: Failure): AccessError {
  if (failure.code === "conflict") return overtaken;
  return failure.code === "too-large" ? fullLog : accessError(failure);
}

/** Does what begins with reading a log once more, where somebody else changed it first. */
export async function untilFirst<T>(attempt: () => Done<T>): Done<T> {
  for (let tries = 1; ; tries += 1) {
    const done = await attempt();
    if (done.ok || done.error.code !== overtaken.code || tries === triesMax) return done;
  }
}

/** Adds one entry to a log, with the keys that it hands on. */
export async function addEntry(
  parts: SealedParts,
  log: LogState,
  entry: { readonly by: Holder; readonly said: Said; readonly wraps: readonly KeyWrap[] },
  signal: AbortSignal,
): Done<Taken> {
  const { namespace, head, length: after } = log;
  const signer = { device: entry.by.keys.device, jwk: entry.by.sign };
  const { entries } = await signEntries(parts.sha256, signer, { head, said: [entry.said] });
  return await change(parts, namespace, { after, entries, wraps: entry.wraps }, signal);
}
