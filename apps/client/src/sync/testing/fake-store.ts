import {
  chainStart,
  emptyDigest,
  type NamespaceId,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import type {
  PageTaken,
  PushTaken,
  Replica,
  ReplicaStore,
  Taken,
} from "../../store/replica-store.ts";

/** What the next answer of a kind comes to, where a test wants another than "taken". */
interface TakeNext {
  push?: PushTaken;
  page?: PageTaken;
  position?: Taken;
}

/** A store of counts alone: what the engine sees of a store, without its contents. */
export interface FakeStore extends ReplicaStore {
  /** Calls, in order, as `name namespace`. */
  readonly calls: string[];
  /** Adds an active namespace. */
  add(namespace: string, given?: Partial<Replica>): NamespaceId;
  change(namespace: NamespaceId, given: Partial<Replica>): void;
  /** As another process does that drops a copy. */
  drop(namespace: NamespaceId): void;
  /** What the next call of a method throws or takes. */
  readonly throwNext: Map<string, Error>;
  readonly takeNext: TakeNext;
}

const sha256 = (): Uint8Array => new Uint8Array(32);

/** Makes an empty fake. */
export function createFakeStore(): FakeStore {
  const replicas = new Map<NamespaceId, Replica>();
  const calls: string[] = [];
  const throwNext = new Map<string, Error>();
  const takeNext: TakeNext = {};
  const failNext = (name: string): void => {
    const error = throwNext.get(name);
    throwNext.delete(name);
    if (error !== undefined) throw error;
  };
  const note = (name: string, namespace: NamespaceId): void => {
    calls.push(`${name} ${namespace}`);
    failNext(name);
  };
  const change = (namespace: NamespaceId, given: Partial<Replica>): void => {
    const replica = replicas.get(namespace);
    if (replica !== undefined) replicas.set(namespace, { ...replica, ...given });
  };
  const take = <Name extends keyof TakeNext>(
    name: Name,
  ): NonNullable<TakeNext[Name]> | { readonly kind: "taken" } => {
    const taken = takeNext[name] ?? { kind: "taken" };
    delete takeNext[name];
    return taken;
  };
  const store: FakeStore = {
    calls,
    throwNext,
    takeNext,
    change,
    add: (name, given = {}) => {
      const namespace = name as NamespaceId;
      replicas.set(namespace, { ...emptyReplica(namespace), ...given });
      return namespace;
    },
    drop: (namespace) => {
      replicas.delete(namespace);
    },
    replicas: () => {
      failNext("replicas");
      return [...replicas.values()];
    },
    replica: (namespace) => {
      failNext("replica");
      return replicas.get(namespace);
    },
    waiting: () =>
      [...replicas.values()].filter(({ unsent }) => unsent > 0).map(({ namespace }) => namespace),
    renewWriters: () => undefined,
    takeNamespaces: (_, listed) => {
      const ids = new Set(listed.map(({ id }) => id));
      for (const { id, role } of listed) {
        if (replicas.has(id)) change(id, { status: "active", role });
        else store.add(id, { role });
      }
      for (const { namespace, kind } of replicas.values()) {
        if (kind !== "local" && !ids.has(namespace)) change(namespace, { status: "parked" });
      }
    },
    planPush: (namespace, { ops }) => {
      note("planPush", namespace);
      const unsent = replicas.get(namespace)?.unsent ?? 0;
      if (unsent === 0) return undefined;
      const writer = "writer" as WriterId;
      const header = { writer, after: 0, chain: chainStart(sha256, writer) };
      const lines = Array.from({ length: Math.min(unsent, ops) }, (_, n) => String(n));
      return { header, lines, ackedAtRequest: 0, hasMore: unsent > lines.length };
    },
    planPushAfter: () => undefined,
    takePushAnswer: (namespace, plan) => {
      note("takePushAnswer", namespace);
      const { unsent = 0, unverified = 0 } = replicas.get(namespace) ?? {};
      const sent = plan.lines.length;
      change(namespace, { unsent: unsent - sent, unverified: unverified + sent });
      return take("push");
    },
    advance: (namespace) => {
      note("advance", namespace);
      return true;
    },
    takePosition: (namespace) => {
      note("takePosition", namespace);
      return take("position");
    },
    rejectOp: (namespace, { writer, n }, code) => {
      note(`rejectOp ${writer} ${String(n)} ${code}`, namespace);
      const { unsent = 0, rejected = 0 } = replicas.get(namespace) ?? {};
      change(namespace, { unsent: unsent - 1, rejected: rejected + 1 });
    },
    planPull: (namespace) => {
      note("planPull", namespace);
      const after = replicas.get(namespace)?.cursor ?? "";
      return { writer: undefined, after, ackedAtRequest: 0 };
    },
    takePage: (namespace, _, page) => {
      note("takePage", namespace);
      const taken = take("page");
      if (taken.kind !== "fork") change(namespace, { cursor: page.tail.cursor });
      if (taken.kind === "taken" && !page.tail.more) {
        change(namespace, { verified: true, unverified: 0, head: page.tail.head });
      }
      if (taken.kind === "heal-due") change(namespace, { verified: false, needsHeal: true });
      return taken;
    },
    demandHeal: (namespace) => {
      note("demandHeal", namespace);
      change(namespace, { needsHeal: true });
    },
    bucketDigests: () => [],
    bucket: () => [],
    healLines: (_, ids: readonly RecordId[]) =>
      ids.map((id) => ({ id, line: JSON.stringify({ id }) })),
    takeHealed: (namespace) => {
      note("takeHealed", namespace);
    },
    finishHeal: (namespace) => {
      note("finishHeal", namespace);
      change(namespace, { needsHeal: false });
    },
    sealing: () => undefined,
    seenLog: () => [],
    takeSealing: ({ namespace }) => {
      note("takeSealing", namespace);
      return true;
    },
    distrust: (namespace) => {
      note("distrust", namespace);
    },
    heldKeys: () => undefined,
    resealRefused: (namespace) => {
      note("resealRefused", namespace);
      return false;
    },
    restampLamports: (namespace) => {
      note("restampLamports", namespace);
    },
  };
  return store;
}

function emptyReplica(namespace: NamespaceId): Replica {
  return {
    namespace,
    name: namespace,
    kind: "team",
    role: "writer",
    status: "active",
    writer: undefined,
    cursor: "",
    head: 0,
    confirmed: { digest: emptyDigest, count: 0 },
    lamport: 0,
    unsent: 0,
    unverified: 0,
    rejected: 0,
    needsHeal: false,
    healWhy: undefined,
    verified: false,
    notice: undefined,
    syncedAtMs: undefined,
  };
}
