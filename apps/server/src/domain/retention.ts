import type { NamespaceId } from "@tidemark/protocol";
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
const rowsMaxPreset = 5_000;
/** Transactions of one namespace in a round; the next goes on. */
const partsMax = 1_000;
/** Namespaces in a row that may fail before a round ends: the database is away then. */
const failuresMax = 5;

interface RetentionDeps {
  readonly store: Store;
  /** Rows of a kind that one transaction takes out; default 5,000. */
  readonly rowsMax?: number;
}

/**
 * Erases old revisions and thins old marks, and takes deleted namespaces out for good whose 30 days
 * are over (NS23), in short transactions: millions of rows in one would hold a namespace's pushes, run
 * into the time of a statement and be there again in the next round. A namespace that fails is told
 * once all others are done (MK13).
 */
export async function applyRetention(
  deps: RetentionDeps,
  options: RetentionOptions,
): Promise<void> {
  const { store } = deps;
  const expired = await store.expiredNamespaces(purgedMax);
  const held = await store.namespaceIds();
  const plan = planRetention(options);
  await doAll([
    ...expired.map((namespace) => async () => await purge(deps, namespace)),
    ...held.map((namespace) => async () => await trim(deps, namespace, plan)),
  ]);
}

/** Does all, also where some fail; throws what failed last once all others are done. */
async function doAll(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  let failed: { readonly cause: unknown } | undefined;
  let inARow = 0;
  for (const job of jobs) {
    try {
      await job();
      inARow = 0;
    } catch (cause) {
      failed = { cause };
      inARow += 1;
      if (inARow === failuresMax) break;
    }
  }
  if (failed !== undefined) throw failed.cause;
}

async function purge(
  { store, rowsMax = rowsMaxPreset }: RetentionDeps,
  namespace: NamespaceId,
): Promise<void> {
  for (let part = 0; part < partsMax; part += 1) {
    if (await store.purgeNamespace(namespace, rowsMax)) return;
  }
}

async function trim(
  { store, rowsMax = rowsMaxPreset }: RetentionDeps,
  namespace: NamespaceId,
  plan: RetentionPlan,
): Promise<void> {
  for (let part = 0; part < partsMax; part += 1) {
    const gone = await store.writeNamespace(namespace, async (tx) => {
      const revisions = await tx.trimRevisions(plan.revisionsBeforeMs, rowsMax);
      const marks = await tx.trimMarks(plan.marksBeforeMs, plan.markEvery, rowsMax);
      return Math.max(revisions, marks);
    });
    if (gone === undefined || gone < rowsMax) return;
  }
}
