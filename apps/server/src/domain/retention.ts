import type { Store } from "../store/port.ts";

/** How long what is not current is kept. */
export interface RetentionOptions {
  readonly nowMs: number;
  /** Days that overwritten values are kept; default 365. */
  readonly revisionDays?: number;
  /** Days that every mark is kept; default 30. */
  readonly markDays?: number;
}

/** Which rows have had their time. */
export interface RetentionPlan {
  readonly revisionsBeforeMs: number;
  readonly marksBeforeMs: number;
  readonly markEvery: number;
}

const dayMs = 86_400_000;

/** Of old marks every so many heads keep theirs (MK3): a replica away longer heals, which is cheap. */
const markEvery = 256;

/** Decides what to let go. */
export function planRetention(options: RetentionOptions): RetentionPlan {
  return {
    revisionsBeforeMs: options.nowMs - (options.revisionDays ?? 365) * dayMs,
    marksBeforeMs: options.nowMs - (options.markDays ?? 30) * dayMs,
    markEvery,
  };
}

/** Expired namespaces that one round takes out, and rows of a kind that one transaction does. */
const purgedMax = 100;
const purgedRowsMax = 5_000;
/** Transactions of one namespace in a round; the next goes on. */
const purgedPartsMax = 1_000;

/** Takes deleted namespaces out for good whose 30 days are over (NS23), in short transactions. */
async function purgeExpired(deps: { readonly store: Store }): Promise<void> {
  for (const namespace of await deps.store.expiredNamespaces(purgedMax)) {
    for (let part = 0; part < purgedPartsMax; part += 1) {
      if (await deps.store.purgeNamespace(namespace, purgedRowsMax)) break;
    }
  }
}

/**
 * Erases old revisions and thins old marks, one short transaction for each namespace, and purges
 * what was deleted.
 */
export async function applyRetention(
  deps: { readonly store: Store },
  options: RetentionOptions,
): Promise<void> {
  await purgeExpired(deps);
  const plan = planRetention(options);
  for (const namespace of await deps.store.namespaceIds()) {
    await deps.store.writeNamespace(namespace, async (tx) => {
      await tx.trimRevisions(plan.revisionsBeforeMs);
      await tx.trimMarks(plan.marksBeforeMs, plan.markEvery);
    });
  }
}
