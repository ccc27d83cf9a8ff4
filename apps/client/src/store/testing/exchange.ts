import { isSameSet, bucketCount, type RecordId } from "@tidemark/protocol";
import type { NamespaceInfo } from "@tidemark/protocol/wire";
import type { Store } from "../store.ts";
import type { PageTaken, PulledPage, PullPlan, PushTaken } from "../replica-store.ts";
import { testStore } from "./test-store.ts";
import type { TestServer } from "./test-server.ts";
import type { OpenOptions } from "../open.ts";

/** A store that is paired with a server, as far as the store knows. */
export function pairedStore(server: TestServer, options: Partial<OpenOptions> = {}): Store {
  const store = testStore(options);
  pair(store, server);
  return store;
}

/** What `hello` does to a store. */
export function pair(
  store: Store,
  server: TestServer,
  others: readonly NamespaceInfo[] = [],
): void {
  store.replicas.takeNamespaces("server-1", [
    { id: server.namespace, name: "personal", kind: "personal", role: "owner", head: 0 },
    ...others,
  ]);
}

/** A page of `limit` records that was asked for and is still to be taken. */
export interface PageAtHand {
  readonly plan: PullPlan;
  readonly page: PulledPage;
}

/** Asks for a page; throws where the server gives none. */
export function askPage(store: Store, server: TestServer, limit?: number): PageAtHand {
  const plan = store.replicas.planPull(server.namespace);
  if (plan === undefined) throw new Error("a paired store can pull");
  const page = server.pull(plan.after, plan.writer, limit);
  if ("kind" in page) throw new Error(page.kind);
  return { plan, page };
}

/** Pulls once; a page of `limit` records. */
export function pullOnce(store: Store, server: TestServer, limit = 1000): PageTaken {
  const plan = store.replicas.planPull(server.namespace);
  if (plan === undefined) throw new Error("nothing to pull");
  const page = server.pull(plan.after, plan.writer, limit);
  if (!("kind" in page)) return store.replicas.takePage(server.namespace, plan, page);
  store.replicas.demandHeal(server.namespace, page.kind);
  return { kind: "heal-due", why: page.kind };
}

/** Pulls until the head is reached, a heal is due or a fork was found. */
export function pullAll(store: Store, server: TestServer, limit = 1000): PageTaken {
  for (;;) {
    const before = store.replicas.replica(server.namespace)?.cursor;
    const taken = pullOnce(store, server, limit);
    if (taken.kind !== "taken") return taken;
    const plan = store.replicas.planPull(server.namespace);
    if (plan?.after === before) return taken;
  }
}

/** Pushes once; undefined when nothing is to be sent. */
export function pushOnce(store: Store, server: TestServer, ops = 500): PushTaken | undefined {
  const { namespace } = server;
  const plan = store.replicas.planPush(namespace, { ops, bytes: 1_000_000 });
  if (plan === undefined) return undefined;
  const answer = server.push(plan);
  if (!("kind" in answer)) {
    const taken = store.replicas.takePushAnswer(namespace, plan, answer);
    if (taken.kind !== "advancing") return taken;
    return { kind: store.replicas.advance(namespace, plan, answer) ? "advanced" : "taken" };
  }
  if (answer.kind === "history") throw new Error("a push has no cursor");
  const { position } = answer;
  const { ackedAtRequest, header } = plan;
  return store.replicas.takePosition(namespace, ackedAtRequest, position, header.writer);
}

/** Exchanges what differs. */
export function heal(store: Store, server: TestServer): void {
  const { namespace } = server;
  const digests = server.digests();
  const own = store.replicas.bucketDigests(namespace);
  const ids: RecordId[] = [];
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    const theirs = digests.buckets[bucket];
    const mine = own[bucket];
    if (mine === undefined || theirs === undefined) continue;
    if (isSameSet(mine, { digest: theirs[0], count: theirs[1] })) continue;
    ids.push(
      ...differing(new Map(store.replicas.bucket(namespace, bucket, {})), server.bucket(bucket)),
    );
  }
  const lamport = store.replicas.replica(namespace)?.lamport ?? 0;
  const lines = store.replicas.healLines(namespace, ids).map(({ line }) => line);
  const answer = server.heal(lines, ids, lamport);
  store.replicas.takeHealed(namespace, { ...answer, from: digests.head });
  store.replicas.finishHeal(namespace, digests);
}

function differing(
  mine: ReadonlyMap<RecordId, string>,
  theirs: ReadonlyMap<RecordId, string>,
): readonly RecordId[] {
  const ids = new Set([...mine.keys(), ...theirs.keys()]);
  return [...ids].filter((id) => mine.get(id) !== theirs.get(id));
}

/** Pull, heal and push until nothing is left to do; gives how many heals it took. */
export function settle(store: Store, server: TestServer, rounds = 20): number {
  let heals = 0;
  for (let round = 0; round < rounds; round += 1) {
    if (pullAll(store, server).kind === "heal-due") {
      heal(store, server);
      heals += 1;
      continue;
    }
    if (pushOnce(store, server) !== undefined) continue;
    const replica = store.replicas.replica(server.namespace);
    if (replica?.verified === true && replica.unsent + replica.unverified === 0) return heals;
  }
  throw new Error("the store does not settle");
}
