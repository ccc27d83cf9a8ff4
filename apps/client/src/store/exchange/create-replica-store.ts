import { assertInvariant, isEncryptedId, type NamespaceId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { stateSql } from "../records/outbox.ts";
import { readReplica, readReplicas, saveReplica } from "../records/replicas.ts";
import type { PageTaken, PulledPage, PushPlan, ReplicaStore, Taken } from "../replica-store.ts";
import type { ReplicaRow } from "../rows.ts";
import { advance } from "./advance.ts";
import { renewWriter } from "./fork.ts";
import { bucketDigests, bucketRecords, finishHeal, healLines, takeHealed } from "./heal.ts";
import { restampLamports } from "./lamports.ts";
import { takeNamespaces } from "./namespaces.ts";
import { planPull, takePage } from "./pull.ts";
import { createSealingStore } from "./sealing.ts";
import { replicaOf } from "./replica-of.ts";
import {
  noteOffered,
  planPush,
  planPushAfter,
  rejectOp,
  takePosition,
  takePushAnswer,
} from "./push.ts";

/** The side of the store that the sync engine drives. */
export function createReplicaStore(context: StoreContext): ReplicaStore {
  const write = <T>(namespace: NamespaceId, work: (replica: ReplicaRow) => T): T =>
    inReplica(context, namespace, work);
  return {
    ...readSide(context),
    ...healSide(context, write),
    ...createSealingStore(context),
    takeNamespaces: (serverId, listed, suspects) => {
      context.db.transact(() => {
        takeNamespaces(context, serverId, listed, suspects);
      });
    },
    renewWriters: () => {
      context.db.transact(() => {
        for (const replica of readReplicas(context)) {
          if (replica.server === null || replica.writer === null) continue;
          renewWriter(context, replica);
          saveReplica(context, replica);
        }
      });
    },
    takePushAnswer: (namespace, plan, answer) =>
      write(namespace, (replica) =>
        replica.writer === plan.header.writer
          ? takePushAnswer(context, replica, plan, answer)
          : ignored,
      ),
    advance: (namespace, plan, answer) =>
      write(
        namespace,
        (replica) =>
          replica.writer === plan.header.writer && advance(context, replica, plan, answer),
      ),
    takePosition: (namespace, ackedAtRequest, position, writer) =>
      write(namespace, (replica) =>
        writer === undefined || replica.writer === writer
          ? takePosition(context, replica, { ackedAtRequest }, position)
          : ignored,
      ),
    rejectOp: (namespace, { writer, n }, code) => {
      write(namespace, (replica) => {
        if (replica.writer === writer) rejectOp(context, replica, n, code);
      });
    },
    takePage: (namespace, plan, page) =>
      write(namespace, (replica) => {
        const isOurs = plan.writer === undefined || plan.writer === replica.writer;
        // Nothing else may be under way that would bring what it tells of (PL26).
        if (!isOurs) return overtaken;
        return plan.after === replica.cursor
          ? takePage(context, replica, plan, page)
          : passOver(replica, page);
      }),
  };
}

/**
 * A page of a replica that moved on since it was asked for, by a finished heal or by a push that was
 * confirmed. What it tells of a later head counts all the same (CL20).
 */
function passOver(replica: ReplicaRow, { tail }: PulledPage): PageTaken {
  if (tail.head <= replica.head) return ignored;
  replica.head = tail.head;
  replica.verified = 0;
  return overtaken;
}

const overtaken: PageTaken = { kind: "overtaken" };

// The answer to a request from before a fork: the next request asks again.
const ignored: Taken = { kind: "taken" };

function readSide(
  context: StoreContext,
): Pick<
  ReplicaStore,
  | "replicas"
  | "replica"
  | "waiting"
  | "planPush"
  | "planPushAfter"
  | "planPull"
  | "bucketDigests"
  | "bucket"
  | "healLines"
> {
  const active = (namespace: NamespaceId): ReplicaRow | undefined => {
    const row = readReplica(context, namespace);
    return row?.status === "active" && row.kind !== "local" ? row : undefined;
  };
  return {
    replicas: () => readReplicas(context).map((row) => replicaOf(context, row)),
    replica: (namespace) => {
      const row = readReplica(context, namespace);
      return row === undefined ? undefined : replicaOf(context, row);
    },
    waiting: () =>
      context.db
        .all<{ namespace: NamespaceId }>(
          // For each namespace only until the first is found: an outbox may be long.
          `SELECT namespace FROM replicas WHERE EXISTS (SELECT 1 FROM outbox
             WHERE outbox.namespace = replicas.namespace AND ${stateSql} IN ('pending', 'unknown'))`,
        )
        .map(({ namespace }) => namespace),
    planPush: (namespace, limits, ahead) => {
      const planned = (): PushPlan | undefined => {
        const row = active(namespace);
        if (row === undefined) return undefined;
        const plan = planPush(context, row, limits, ahead);
        if (plan !== undefined && isEncryptedId(namespace)) noteOffered(context, row, plan);
        return plan;
      };
      // Whoever takes a new key meanwhile seals anew what was not offered yet.
      return isEncryptedId(namespace) ? context.db.transact(planned) : planned();
    },
    planPushAfter: (namespace, plan, limits) => {
      const row = active(namespace);
      return row === undefined ? undefined : planPushAfter(context, row, plan, limits);
    },
    planPull: (namespace) => {
      const row = active(namespace);
      return row === undefined ? undefined : planPull(row);
    },
    bucketDigests: (namespace) => bucketDigests(context, namespace),
    bucket: (namespace, bucket, part) => bucketRecords(context, { namespace, bucket, ...part }),
    healLines: (namespace, ids) => healLines(context, namespace, ids),
  };
}

function healSide(
  context: StoreContext,
  write: <T>(namespace: NamespaceId, work: (replica: ReplicaRow) => T) => T,
): Pick<ReplicaStore, "demandHeal" | "takeHealed" | "finishHeal" | "restampLamports"> {
  return {
    demandHeal: (namespace, why) => {
      write(namespace, (replica) => {
        replica.heal_why ??= why;
        replica.verified = 0;
      });
    },
    takeHealed: (namespace, answer) => {
      write(namespace, (replica) => {
        takeHealed(context, replica, answer);
      });
    },
    finishHeal: (namespace, digests, ahead) => {
      write(namespace, (replica) => {
        finishHeal(context, replica, { digests, ahead });
      });
    },
    restampLamports: (namespace) => {
      write(namespace, (replica) => {
        restampLamports(context, replica);
      });
    },
  };
}

function inReplica<T>(
  context: StoreContext,
  namespace: NamespaceId,
  work: (replica: ReplicaRow) => T,
): T {
  const held: { result?: T } = {};
  context.db.transact(() => {
    const replica = readReplica(context, namespace);
    assertInvariant(replica !== undefined, "the engine names namespaces that are there");
    held.result = work(replica);
    saveReplica(context, replica);
  });
  return held.result as T;
}
