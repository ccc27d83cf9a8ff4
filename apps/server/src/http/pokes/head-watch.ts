import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import type { AccountStore, Watched } from "../../store/accounts-port.ts";
import type { Log } from "../app-deps.ts";
import type { PokeHub } from "./poke-hub.ts";

/** Carries moved heads and revoked devices between this replica's hub and the others'. */
export interface HeadWatch {
  /** Takes note of a head that a push to this replica moved. */
  headMoved(namespace: NamespaceId, head: number): void;
  /** Takes note of a device that was revoked here, whose streams elsewhere have to end (AU9). */
  deviceRevoked(device: DeviceId): void;
  stop(): void;
}

/** A way for replicas to tell each other at once, such as PostgreSQL's NOTIFY. */
export interface HeadNotices {
  publish(moved: {
    readonly heads: ReadonlyMap<NamespaceId, number>;
    readonly revoked: ReadonlySet<DeviceId>;
  }): Promise<void>;
  listen(listener: {
    readonly onHeads: (heads: readonly (readonly [string, number])[]) => void;
    readonly onRevoked: (devices: readonly string[]) => void;
    /** Listening began, first or again; heads that moved before were not heard of. */
    readonly onListening: () => void;
    /** Nothing is heard; it is listened anew, after what failed last. */
    readonly onSilent: (cause: unknown) => void;
  }): Promise<void>;
}

/** What watching heads needs. */
export interface HeadWatchDeps {
  readonly timers: { every(ms: number, tick: () => void): () => void };
  readonly log: Log;
  readonly hub: Pick<PokeHub, "followed" | "headMoved" | "endDevice">;
  watched: AccountStore["watched"];
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
  return { headMoved: () => {}, deviceRevoked: () => {}, stop };
}

/** Tells the others at most ten times a second, however many pushes there are. */
function exchangeNotices(deps: HeadWatchDeps, notices: HeadNotices): HeadWatch {
  const heads = new Map<NamespaceId, number>();
  const revoked = new Set<DeviceId>();
  const stop = everyUnlessBusy(deps, noticeEveryMs, async () => {
    if (heads.size + revoked.size === 0) return;
    const moved = { heads: new Map(heads), revoked: new Set(revoked) };
    heads.clear();
    revoked.clear();
    try {
      await notices.publish(moved);
    } catch (cause) {
      // Told with the next ones: nobody else would, and what was told twice does no harm.
      for (const [namespace, head] of moved.heads) {
        if (!heads.has(namespace)) heads.set(namespace, head);
      }
      for (const device of moved.revoked) revoked.add(device);
      throw cause;
    }
  });
  const onHeads = (told: readonly (readonly [string, number])[]): void => {
    for (const [namespace, head] of told) deps.hub.headMoved(namespace as NamespaceId, head);
  };
  const onRevoked = (devices: readonly string[]): void => {
    for (const device of devices) deps.hub.endDevice(device as DeviceId);
  };
  const onListening = (): void => {
    void quietly(deps, async () => await askForHeads(deps));
  };
  const onSilent = (cause: unknown): void => {
    deps.log.warn("head-notices-silent", { name: nameOf(cause) });
  };
  const listener = { onHeads, onRevoked, onListening, onSilent };
  void quietly(deps, async () => await notices.listen(listener));
  return {
    headMoved: (namespace, head) => {
      heads.set(namespace, head);
    },
    deviceRevoked: (device) => {
      revoked.add(device);
    },
    stop,
  };
}

async function askForHeads(deps: HeadWatchDeps): Promise<void> {
  const followed = deps.hub.followed();
  if (followed.devices.length === 0) return;
  const { heads, revoked }: Watched = await deps.watched(followed);
  for (const [namespace, head] of heads) deps.hub.headMoved(namespace, head);
  for (const device of revoked) deps.hub.endDevice(device);
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

/**
 * A lost poke costs only latency, and a stream whose end was not heard of ends with its next ping,
 * so a failure is noted and nothing more.
 */
async function quietly(deps: HeadWatchDeps, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    deps.log.warn("head-watch-failed", { name: nameOf(cause) });
  }
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : "unknown";
}
