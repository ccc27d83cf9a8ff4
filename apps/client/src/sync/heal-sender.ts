/** Gathers what a heal exchanges into requests of bounded size, and takes their answers. */
import { fail, limits, ok, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { HealLine } from "../store/replica-store.ts";
import type { HealDeps } from "./heal.ts";
import { isTooLargeOnTheWay } from "./http/failures.ts";
import { syncLimits } from "./sync-limits.ts";
import { cancelled, type Answer, type Failure, type HealRequest } from "./transport.ts";

/** What two replicas must exchange, as one side sees it. */
export interface Difference {
  readonly push: readonly RecordId[];
  readonly want: readonly RecordId[];
}

/** What was exchanged, by records. */
export interface SentCounts {
  readonly pushed: number;
  readonly wanted: number;
  readonly refused: number;
}

/** Takes differences in, sends full requests; `finish` sends the rest. */
export interface HealSender {
  send(difference: Difference): Promise<Answer<undefined>>;
  /** `mustTell`: one request has to go out even where nothing differs. */
  finish(mustTell: boolean): Promise<Answer<SentCounts>>;
}

/** What goes out together. */
interface Batch {
  readonly want: readonly RecordId[];
  readonly lines: readonly HealLine[];
}

interface Sending {
  readonly deps: HealDeps;
  readonly namespace: NamespaceId;
  readonly from: number;
  readonly signal: AbortSignal;
  gathered: { want: RecordId[]; lines: HealLine[]; bytes: number };
  counts: SentCounts;
}

/** Makes the sender of one heal; `from` is the head of the digests that it began from. */
export function createHealSender(
  deps: HealDeps,
  { namespace, from }: { readonly namespace: NamespaceId; readonly from: number },
  signal: AbortSignal,
): HealSender {
  const sending: Sending = {
    deps,
    namespace,
    from,
    signal,
    gathered: { want: [], lines: [], bytes: 0 },
    counts: { pushed: 0, wanted: 0, refused: 0 },
  };
  return {
    send: (difference) => sendDifference(sending, difference),
    finish: async (mustTell) => {
      const { want, lines } = sending.gathered;
      const hasRest = want.length + lines.length > 0;
      if (hasRest || mustTell) {
        const flushed = await flush(sending);
        if (!flushed.ok) return flushed;
      }
      return ok(sending.counts);
    },
  };
}

async function sendDifference(
  sending: Sending,
  { push, want }: Difference,
): Promise<Answer<undefined>> {
  for (const id of want) {
    const room = await makeRoom(sending, 0);
    if (!room.ok) return room;
    sending.gathered.want.push(id);
  }
  for (let at = 0; at < push.length; at += syncLimits.healRecordsAim) {
    const ids = push.slice(at, at + syncLimits.healRecordsAim);
    for (const delivered of sending.deps.store.healLines(sending.namespace, ids)) {
      const bytes = encoder.encode(delivered.line).length + 1;
      const room = await makeRoom(sending, bytes);
      if (!room.ok) return room;
      sending.gathered.lines.push(delivered);
      sending.gathered.bytes += bytes;
    }
  }
  return ok(undefined);
}

async function makeRoom(sending: Sending, bytes: number): Promise<Answer<undefined>> {
  const { gathered } = sending;
  const records = gathered.want.length + gathered.lines.length;
  const isFull =
    records >= syncLimits.healRecordsAim ||
    (records > 0 && gathered.bytes + bytes > syncLimits.healBytesAim);
  return isFull ? await flush(sending) : ok(undefined);
}

/** Sends what is gathered, and asks again for what the answer had no room for. */
async function flush(sending: Sending): Promise<Answer<undefined>> {
  const batch = sending.gathered;
  sending.gathered = { want: [], lines: [], bytes: 0 };
  for (let next: Batch | undefined = batch; next !== undefined;) {
    const brought = await sendBatch(sending, next);
    if (!brought.ok) return brought;
    next = lackingIn(next, brought.value);
  }
  const { counts } = sending;
  sending.counts = {
    ...counts,
    pushed: counts.pushed + batch.lines.length,
    wanted: counts.wanted + batch.want.length,
  };
  return ok(undefined);
}

/**
 * What of a batch did not come; nothing where asking for it alone has brought none. Values that a
 * delivered state had lose come before all that was named, and may fill an answer.
 */
function lackingIn({ want, lines }: Batch, brought: ReadonlySet<RecordId>): Batch | undefined {
  const named = [...lines.map(({ id }) => id), ...want];
  const lacking = named.filter((id) => !brought.has(id));
  const isVain = lines.length === 0 && lacking.length === named.length;
  const isOver = lacking.length === 0 || isVain;
  return isOver ? undefined : { want: lacking, lines: [] };
}

/**
 * Gives the records that the server's answer brought. A request or answer that is too large is cut in
 * two, down to one record.
 */
async function sendBatch(sending: Sending, batch: Batch): Promise<Answer<ReadonlySet<RecordId>>> {
  const { deps, namespace, signal } = sending;
  const answer = await deps.transport.heal(namespace, requestOf(sending, batch), signal);
  if (signal.aborted) return fail(cancelled);
  if (!answer.ok) {
    const cut = isTooLarge(answer.error) ? halves(batch) : undefined;
    if (cut === undefined) return await sendUncut(sending, batch, answer.error);
    const first = await sendBatch(sending, cut[0]);
    const second = first.ok ? await sendBatch(sending, cut[1]) : first;
    return first.ok && second.ok ? ok(new Set([...first.value, ...second.value])) : second;
  }
  deps.store.takeHealed(namespace, { ...answer.value, from: sending.from });
  const { records, tail } = answer.value;
  const { counts } = sending;
  sending.counts = { ...counts, refused: counts.refused + tail.refused.length };
  // What there was no room for is not asked for: it would be merged here alone (HL41).
  const unkept = tail.refused.flatMap(({ id, code }) => (code === "quota" ? [id] : []));
  return ok(new Set([...records.map(({ state }) => state.id), ...unkept]));
}

/**
 * One state that no heal can carry, as a replica comes to hold where one clock has two values (HL39):
 * what the server has of it is asked for, or the digests never meet.
 */
async function sendUncut(
  sending: Sending,
  { lines: [only] }: Batch,
  why: Failure,
): Promise<Answer<ReadonlySet<RecordId>>> {
  if (only === undefined || !tooLarge.has(why.code)) return fail(why);
  const { counts } = sending;
  sending.counts = { ...counts, refused: counts.refused + 1 };
  return await sendBatch(sending, { want: [only.id], lines: [] });
}

function requestOf({ deps, namespace }: Sending, { want, lines }: Batch): HealRequest {
  const replica = deps.store.replica(namespace);
  const writer = replica?.writer;
  const lamport = Math.min(replica?.lamport ?? 0, limits.lamportMax);
  return {
    header: { ...(writer === undefined ? {} : { writer }), lamport, want },
    lines: lines.map(({ line }) => line),
  };
}

/** What the server says of a request, and what this side says of an answer. */
const tooLarge: ReadonlySet<string> = new Set(["too-large", "answer-too-large"]);

/** A state that alone is too large for a proxy is kept here: the proxy's limit may be another tomorrow. */
function isTooLarge(failure: Failure): boolean {
  return tooLarge.has(failure.code) || isTooLargeOnTheWay(failure);
}

function halves({ want, lines }: Batch): readonly [Batch, Batch] | undefined {
  if (want.length + lines.length < 2) return undefined;
  const wantCut = Math.ceil(want.length / 2);
  const lineCut = Math.floor(lines.length / 2);
  return [
    { want: want.slice(0, wantCut), lines: lines.slice(0, lineCut) },
    { want: want.slice(wantCut), lines: lines.slice(lineCut) },
  ];
}

const encoder = new TextEncoder();
