import type { NamespaceId } from "@tidemark/protocol";
import type { Store } from "../store/port.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";

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
/** Rows of large values may take longer than a statement may: then a tenth is tried, down to this. */
const fewRows = 50;
/** Transactions of one namespace in a round; the next goes on. */
const partsMax = 1_000;
/** Namespaces in a row that may fail before it is asked whether the database is there at all. */
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
  await doAll(store, [
    ...expired.map((namespace) => async () => await purge(deps, namespace)),
    ...held.map((namespace) => async () => await trim(deps, namespace, plan)),
  ]);
}

/**
 * Does all, also where some fail, as long as the database is there; throws what failed last once all
 * others are done.
 */
async function doAll(
  store: Pick<Store, "ping">,
  jobs: readonly (() => Promise<void>)[],
): Promise<void> {
  let failed: { readonly cause: unknown } | undefined;
  let inARow = 0;
  for (const job of jobs) {
    try {
      await job();
      inARow = 0;
    } catch (cause) {
      failed = { cause };
      inARow += 1;
    }
    if (inARow < failuresMax) continue;
    if (!(await store.ping())) break;
    inARow = 0;
  }
  if (failed !== undefined) throw failed.cause;
}

async function purge(
  { store, rowsMax = rowsMaxPreset }: RetentionDeps,
  namespace: NamespaceId,
): Promise<void> {
  await inParts(rowsMax, async (rows) => await store.purgeNamespace(namespace, rows));
}

async function trim(
  { store, rowsMax = rowsMaxPreset }: RetentionDeps,
  namespace: NamespaceId,
  plan: RetentionPlan,
): Promise<void> {
  await inParts(rowsMax, async (rows) => {
    const gone = await store.writeNamespace(namespace, async (tx) => {
      const revisions = await tx.trimRevisions(plan.revisionsBeforeMs, rows);
      const marks = await tx.trimMarks(plan.marksBeforeMs, plan.markEvery, rows);
      return Math.max(revisions, marks);
    });
    return gone === undefined || gone < rows;
  });
}

/** Does a part after the other until one says that nothing is left, and smaller ones where one fails. */
async function inParts(rowsMax: number, isLast: (rows: number) => Promise<boolean>): Promise<void> {
  let rows = rowsMax;
  for (let part = 0; part < partsMax; part += 1) {
    try {
      if (await isLast(rows)) return;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable) || rows <= fewRows) throw cause;
      rows = Math.ceil(rows / 10);
    }
  }
}
