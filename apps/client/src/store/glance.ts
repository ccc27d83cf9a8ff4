import type { Result, Sha256 } from "@tidemark/protocol";
import type { StoreContext } from "./context.ts";
import { replicaOf } from "./exchange/replica-of.ts";
import { countObservations } from "./reads/observations.ts";
import { readReplicas } from "./records/replicas.ts";
import type { Replica } from "./replica-store.ts";
import { openDatabase } from "./sqlite.ts";
import { attempt, type StoreError } from "./store-error.ts";

/** What is told of a store in one line. */
export interface Glance {
  readonly replicas: readonly Replica[];
  /** Observations of one project, no more than `upTo` of them. */
  countOf(project: string, upTo: number): number;
  meta(name: string): string | undefined;
}

/** What a look at a store needs. */
export interface GlanceOptions {
  /** Of a database that is there. */
  readonly path: string;
  readonly nativeBinding?: (() => object) | undefined;
  readonly sha256: Sha256;
  readonly random: { bytes(count: number): Uint8Array };
  readonly clock: { nowMs(): number };
  readonly busyTimeoutMs: number;
}

/**
 * Looks at a store without bringing it up to date or repairing it: whoever asks at every turn of an
 * agent must not wait, and another program may be just about to.
 */
export function glanceAt<T>(
  options: GlanceOptions,
  look: (glance: Glance) => T,
): Result<T, StoreError> {
  return attempt(() => {
    const { path, nativeBinding, busyTimeoutMs, sha256, random, clock } = options;
    const db = openDatabase({ path, nativeBinding, busyTimeoutMs });
    try {
      const context: StoreContext = { db, sha256, random, clock, identity: () => undefined };
      return look({
        replicas: readReplicas(context).map((row) => replicaOf(context, row)),
        countOf: (project, upTo) => countObservations(context, { project }, upTo),
        meta: (name) =>
          db.get<{ value: string }>("SELECT value FROM meta WHERE key = ?", name)?.value,
      });
    } finally {
      db.close();
    }
  });
}
