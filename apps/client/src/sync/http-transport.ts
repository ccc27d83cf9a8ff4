/** The server behind HTTP, as the sync engine sees it. */
import { compareText, fail, limits, ok, type NamespaceId, type RecordId } from "@tidemark/protocol";
import {
  bucketAnswerSchema,
  digestsAnswerSchema,
  healTailSchema,
  helloSchema,
  ndjsonType,
  pullTailSchema,
  pushAnswerSchema,
  revisionsAnswerSchema,
  type BucketAnswer,
} from "@tidemark/protocol/wire";
import type { Caller } from "./http/caller.ts";
import { garbled } from "./http/failures.ts";
import { decodeStates, encodeLines } from "./http/ndjson.ts";
import { streamPokes } from "./http/poke-stream.ts";
import type { Timers } from "./ports.ts";
import { syncLimits } from "./sync-limits.ts";
import type { Answer, BucketRequest, Transport } from "./transport.ts";

/** Makes the transport of one server over its caller. */
export function createHttpTransport(deps: {
  readonly caller: Caller;
  readonly timers: Timers;
}): Transport {
  const { caller } = deps;
  const { pageAnswerBytesMax, healAnswerBytesMax } = syncLimits;
  return {
    hello: (signal) => caller.json({ method: "GET", path: "/v1/hello" }, helloSchema, signal),
    packPush: ({ header, lines }) => caller.pack(encodeLines(header, lines)),
    canHoldEnds: caller.canHoldEnds === true,
    push: (namespace, { header, lines, packed, onSent, end }, signal) => {
      const body = { type: ndjsonType, content: packed ?? encodeLines(header, lines) };
      const path = pathOf(namespace, "ops");
      return caller.json({ method: "POST", path, body, onSent, end }, pushAnswerSchema, signal);
    },
    pull: async (namespace, { writer, after, restAhead }, signal) => {
      const query = {
        ...(writer === undefined ? {} : { writer }),
        ...(after === "" ? {} : { after }),
      };
      const path = pathOf(namespace, "records");
      const call = {
        method: "GET",
        path,
        query,
        accept: ndjsonType,
        bytesMax: pageAnswerBytesMax,
        restAhead,
      } as const;
      const answer = await caller.lines(call, signal);
      return answer.ok ? decodeStates(answer.value, pullTailSchema, "rising") : answer;
    },
    digests: (namespace, signal) =>
      caller.json(
        { method: "GET", path: pathOf(namespace, "digests") },
        digestsAnswerSchema,
        signal,
      ),
    bucket: (namespace, part, signal) => askBucket(caller, { namespace, ...part }, signal),
    heal: async (namespace, { header, lines }, signal) => {
      const body = { type: ndjsonType, content: encodeLines(header, lines) };
      const path = pathOf(namespace, "heal");
      const call = {
        method: "POST",
        path,
        body,
        accept: ndjsonType,
        bytesMax: healAnswerBytesMax,
      } as const;
      const answer = await caller.lines(call, signal);
      return answer.ok ? decodeStates(answer.value, healTailSchema, "any") : answer;
    },
    revisions: async (namespace, record, signal) => {
      const path = pathOf(namespace, `records/${encodeURIComponent(record)}/revisions`);
      const answer = await caller.json({ method: "GET", path }, revisionsAnswerSchema, signal);
      if (!answer.ok) return answer;
      // zod infers the value of an unknown as optional; the wire always has it.
      return answer.value.revisions.every((revision) => "value" in revision)
        ? ok(answer.value)
        : fail(garbled);
    },
    pokes: (signal) => streamPokes(deps, signal),
  };
}

async function askBucket(
  caller: Caller,
  { namespace, bucket, after }: BucketRequest & { readonly namespace: NamespaceId },
  signal: AbortSignal,
): Promise<Answer<BucketAnswer>> {
  const query = {
    bucket: String(bucket),
    limit: String(limits.bucketRecordsMax),
    ...(after === undefined ? {} : { after }),
  };
  const path = pathOf(namespace, "digests");
  const answer = await caller.json({ method: "GET", path, query }, bucketAnswerSchema, signal);
  if (!answer.ok || answer.value.more !== true) return answer;
  return isRising(answer.value, after) ? answer : fail(garbled);
}

/** Whether a page leads on: one that does not would be asked for without end. */
function isRising({ records }: BucketAnswer, after: RecordId | undefined): boolean {
  const ids = records.map(([id]) => id);
  return ids.length > 0 && ids.every((id, at) => compareText(id, ids[at - 1] ?? after ?? "") > 0);
}

function pathOf(namespace: NamespaceId, rest: string): string {
  return `/v1/namespaces/${encodeURIComponent(namespace)}/${rest}`;
}
