/** Gathers what a heal exchanges into requests of bounded size, and takes their answers. */
import { fail, limits, ok, type NamespaceId, type RecordId } from "@tidemark/protocol";
import type { HealDeps } from "./heal.ts";
import { syncLimits } from "./sync-limits.ts";
import { cancelled, type Answer, type HealRequest } from "./transport.ts";

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

interface Gathered {
  want: RecordId[];
  lines: string[];
  bytes: number;
}

interface Sending {
  readonly deps: HealDeps;
  readonly namespace: NamespaceId;
  readonly from: number;
  readonly signal: AbortSignal;
  gathered: Gathered;
  requests: number;
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
    requests: 0,
    counts: { pushed: 0, wanted: 0, refused: 0 },
  };
  return {
    send: (difference) => sendDifference(sending, difference),
    finish: async (mustTell) => {
      const { want, lines } = sending.gathered;
      const hasRest = want.length + lines.length > 0;
      if (hasRest || (mustTell && sending.requests === 0)) {
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
    for (const line of sending.deps.store.healLines(sending.namespace, ids)) {
      const bytes = encoder.encode(line).length + 1;
      const room = await makeRoom(sending, bytes);
      if (!room.ok) return room;
      sending.gathered.lines.push(line);
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

async function flush(sending: Sending): Promise<Answer<undefined>> {
  const { want, lines } = sending.gathered;
  sending.gathered = { want: [], lines: [], bytes: 0 };
  const replica = sending.deps.store.replica(sending.namespace);
  const writer = replica?.writer;
  const lamport = Math.min(replica?.lamport ?? 0, limits.lamportMax);
  const header = { ...(writer === undefined ? {} : { writer }), lamport, want };
  return await sendRequest(sending, { header, lines });
}

/** A request or answer that is too large is cut in two, down to one record. */
async function sendRequest(sending: Sending, request: HealRequest): Promise<Answer<undefined>> {
  const { deps, namespace, signal } = sending;
  sending.requests += 1;
  const answer = await deps.transport.heal(namespace, request, signal);
  if (signal.aborted) return fail(cancelled);
  if (!answer.ok) {
    const cut = tooLarge.has(answer.error.code) ? halves(request) : undefined;
    if (cut === undefined) return answer;
    const first = await sendRequest(sending, cut[0]);
    return first.ok ? await sendRequest(sending, cut[1]) : first;
  }
  deps.store.takeHealed(namespace, { ...answer.value, from: sending.from });
  const { pushed, wanted, refused } = sending.counts;
  sending.counts = {
    pushed: pushed + request.lines.length,
    wanted: wanted + request.header.want.length,
    refused: refused + answer.value.tail.refused.length,
  };
  return ok(undefined);
}

/** What the server says of a request, and what this side says of an answer. */
const tooLarge: ReadonlySet<string> = new Set(["too-large", "answer-too-large"]);

function halves({ header, lines }: HealRequest): readonly [HealRequest, HealRequest] | undefined {
  if (header.want.length + lines.length < 2) return undefined;
  const wantCut = Math.ceil(header.want.length / 2);
  const lineCut = Math.floor(lines.length / 2);
  const cut = (want: readonly RecordId[], some: readonly string[]): HealRequest => ({
    header: { ...header, want },
    lines: some,
  });
  return [
    cut(header.want.slice(0, wantCut), lines.slice(0, lineCut)),
    cut(header.want.slice(wantCut), lines.slice(lineCut)),
  ];
}

const encoder = new TextEncoder();
