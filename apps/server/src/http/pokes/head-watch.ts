import type { NamespaceId } from "@tidemark/protocol";
import type { Log } from "../app-deps.ts";
import type { PokeHub } from "./poke-hub.ts";

/** Carries moved heads between this replica's hub and the others'. */
export interface HeadWatch {
  /** Takes note of a head that a push to this replica moved. */
  headMoved(namespace: NamespaceId, head: number): void;
  stop(): void;
}

/** A way for replicas to tell each other at once, such as PostgreSQL's NOTIFY. */
export interface HeadNotices {
  publish(heads: ReadonlyMap<NamespaceId, number>): Promise<void>;
  listen(listener: {
    readonly onHeads: (heads: readonly (readonly [string, number])[]) => void;
    /** Listening began, first or again; heads that moved before were not heard of. */
    readonly onListening: () => void;
  }): Promise<void>;
}

/** What watching heads needs. */
export interface HeadWatchDeps {
  readonly timers: { every(ms: number, tick: () => void): () => void };
  readonly log: Log;
  readonly hub: Pick<PokeHub, "followed" | "headMoved">;
  heads(namespaces: readonly NamespaceId[]): Promise<ReadonlyMap<NamespaceId, number>>;
  /** Absent: heads are asked for instead. */
  readonly notices: HeadNotices | undefined;
}

/** How late a push on another replica is noticed by asking, in milliseconds. */
export const headPollMs = 1_000;
/** How long moved heads are gathered before others are told, in milliseconds. */
export const noticeEveryMs = 100;

/** Watches by notices where there are any, else by polling (OPS25). */
export function watchHeads(deps: HeadWatchDeps): HeadWatch {
  return deps.notices === undefined ? pollHeads(deps) : exchangeNotices(deps, deps.notices);
}

/**
 * Reads the followed heads every second: one query a replica, on any engine and through any
 * pooler, and none while nobody listens. A failed round is made good by the next.
 */
function pollHeads(deps: HeadWatchDeps): HeadWatch {
  const stop = everyUnlessBusy(deps, headPollMs, async () => await askForHeads(deps));
  return { headMoved: () => {}, stop };
}

/** Tells the others at most ten times a second, however many pushes there are. */
function exchangeNotices(deps: HeadWatchDeps, notices: HeadNotices): HeadWatch {
  let moved = new Map<NamespaceId, number>();
  const stop = everyUnlessBusy(deps, noticeEveryMs, async () => {
    if (moved.size === 0) return;
    const heads = moved;
    moved = new Map();
    await notices.publish(heads);
  });
  const onHeads = (heads: readonly (readonly [string, number])[]): void => {
    for (const [namespace, head] of heads) deps.hub.headMoved(namespace as NamespaceId, head);
  };
  const onListening = (): void => {
    void quietly(deps, async () => await askForHeads(deps));
  };
  void quietly(deps, async () => await notices.listen({ onHeads, onListening }));
  return {
    headMoved: (namespace, head) => {
      moved.set(namespace, head);
    },
    stop,
  };
}

async function askForHeads(deps: HeadWatchDeps): Promise<void> {
  const followed = deps.hub.followed();
  if (followed.length === 0) return;
  const heads = await deps.heads(followed);
  for (const [namespace, head] of heads) deps.hub.headMoved(namespace, head);
}

function everyUnlessBusy(deps: HeadWatchDeps, ms: number, round: () => Promise<void>): () => void {
  let isBusy = false;
  return deps.timers.every(ms, () => {
    if (isBusy) return;
    isBusy = true;
    void quietly(deps, round).finally(() => {
      isBusy = false;
    });
  });
}

/** A lost poke costs only latency, so a failure is noted and nothing more. */
async function quietly(deps: HeadWatchDeps, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    deps.log.warn("head-watch-failed", { name: cause instanceof Error ? cause.name : "unknown" });
  }
}
