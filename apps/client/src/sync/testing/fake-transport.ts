import {
  bucketCount,
  emptyDigest,
  features,
  limits,
  ok,
  tombstone,
  type DecodedState,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { Hello, NamespaceInfo, Poke } from "@tidemark/protocol/wire";
import { unreachable } from "../http/failures.ts";
import type { Answer, HealRequest, PokeEvent, Transport } from "../transport.ts";

/** Answers that a test may put in place of the good ones. */
export type Script = {
  -readonly [Name in keyof Transport]?: Transport[Name];
};

/** A server that says yes, unless the test says otherwise. */
export interface FakeTransport extends Transport {
  readonly script: Script;
  readonly calls: string[];
  serverId: string;
  listed: readonly NamespaceInfo[];
  /** Sends a poke to the open streams. */
  poke(poke: Poke): void;
  closeStreams(): void;
}

const chain = "0".repeat(64);
const headInfo = { head: 1, mark: "m", lamport: 1 };

/** How a namespace is listed. */
export function listedAs(id: string): NamespaceInfo {
  return { id: id as NamespaceId, name: id, kind: "team", role: "writer", head: 0 };
}

/** Makes the server of these namespaces. */
export function createFakeTransport(...namespaces: readonly string[]): FakeTransport {
  const script: Script = {};
  const calls: string[] = [];
  const streams = new Set<(event: PokeEvent) => void>();
  const position = { acked: 0, chain, since: 0, results: [] };
  const answer = <T>(name: string, scripted: Promise<Answer<T>> | undefined, good: T) => {
    calls.push(name);
    return scripted ?? Promise.resolve(ok(good));
  };
  const fake: FakeTransport = {
    script,
    calls,
    serverId: "srv",
    listed: namespaces.map(listedAs),
    hello: (signal) => answer("hello", script.hello?.(signal), helloOf(fake)),
    push: (namespace, push, signal) =>
      answer(`push ${namespace}`, script.push?.(namespace, push, signal), {
        ...headInfo,
        position,
        results: [],
      }),
    packPush: () => undefined,
    pull: (namespace, pull, signal) =>
      answer(`pull ${namespace}`, script.pull?.(namespace, pull, signal), {
        records: [],
        tail: {
          ...headInfo,
          cursor: "c",
          more: false,
          digest: emptyDigest,
          count: 0,
          position,
          writers: [],
        },
      }),
    digests: (namespace, signal) =>
      answer(`digests ${namespace}`, script.digests?.(namespace, signal), {
        ...headInfo,
        cursor: "c",
        digest: emptyDigest,
        count: 0,
        buckets: Array.from({ length: bucketCount }, () => [emptyDigest, 0] as const),
      }),
    bucket: (namespace, bucket, signal) =>
      answer(`bucket ${namespace}`, script.bucket?.(namespace, bucket, signal), { records: [] }),
    heal: (namespace, heal, signal) =>
      answer(`heal ${namespace}`, script.heal?.(namespace, heal, signal), {
        records: namedBy(heal),
        tail: { ...headInfo, digest: emptyDigest, count: 0, refused: [] },
      }),
    revisions: (namespace, record, signal) =>
      answer(`revisions ${namespace}`, script.revisions?.(namespace, record, signal), {
        revisions: [],
        writers: [],
      }),
    pokes: (signal) => {
      calls.push("pokes");
      return script.pokes?.(signal) ?? openStream(streams, signal);
    },
    poke: (poke) => {
      for (const send of streams) send({ kind: "poke", poke });
    },
    closeStreams: () => {
      for (const send of streams) send({ kind: "closed", failure: unreachable });
    },
  };
  return fake;
}

/** Every record that a heal names, for the answer has room for all of them. */
function namedBy({ header, lines }: HealRequest): readonly DecodedState[] {
  const delivered = lines.map((line) => (JSON.parse(line) as { id: RecordId }).id);
  return [...delivered, ...header.want].map((id) => ({
    state: tombstone(id, "observation"),
    seq: 1,
    line: {},
  }));
}

function helloOf({ serverId, listed }: FakeTransport): Hello {
  return {
    protocol: { version: 1, oldest: 1 },
    features,
    server: { id: serverId, time: 0, version: "0" },
    limits,
    namespaces: listed,
  };
}

async function* openStream(
  streams: Set<(event: PokeEvent) => void>,
  signal: AbortSignal,
): AsyncGenerator<PokeEvent> {
  const events: PokeEvent[] = [{ kind: "open" }];
  let wake: () => void = () => undefined;
  const onAbort = (): void => {
    wake();
  };
  const send = (event: PokeEvent): void => {
    events.push(event);
    wake();
  };
  streams.add(send);
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      const event = events.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield event;
      if (event.kind === "closed") return;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    streams.delete(send);
  }
}
