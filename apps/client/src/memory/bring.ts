import {
  collections,
  derivedId,
  isCredibleTime,
  localNamespace,
  type JsonObject,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import type { Brought, BroughtRow } from "../capture/brought/brought.ts";
import { fitted } from "../capture/brought/fitted.ts";
import type { ScrubbedFields } from "../store/scrubbed-fields.ts";
import type { MemoryDeps } from "./deps.ts";
import { scrubCaptured, scrubFields } from "./scrub-content.ts";

/** Where something of another memory goes. */
export interface BroughtPlace {
  readonly namespace: NamespaceId;
  readonly project: string | undefined;
}

/** What came of rows of another memory. */
export interface BroughtReport {
  readonly added: number;
  /** What this device has or has forgotten; it stays as it is. */
  readonly known: number;
  /** What no namespace took. */
  readonly refused: number;
  /** Rows of which nothing was taken, and why, the first thousand. */
  readonly skipped: readonly { readonly from: string; readonly reason: string }[];
  /** The first titles that were added. */
  readonly titles: readonly string[];
}

/** How rows are taken in. */
export interface BringOptions {
  /** The memory they are of: the same thing of two memories is two things. */
  readonly source: string;
  readonly placeOf: (entry: Brought) => BroughtPlace;
  /** Reports what would be done, and changes nothing. */
  readonly isDry: boolean;
}

const skippedMax = 1_000;
const titlesMax = 20;

/** Takes rows of another memory in, batch by batch. */
export interface Bringing {
  /** One commit. */
  take(rows: readonly BroughtRow[]): void;
  report(): BroughtReport;
}

/**
 * Brings memory along from elsewhere (IM1, IM2): scrubbed before it is looked at any closer, with
 * origin `import`, which nobody trusts highly, and where it came from. Its id follows from what it
 * says, so importing again adds nothing, on whichever device.
 */
export function createBringing(deps: MemoryDeps, options: BringOptions): Bringing {
  const counts = { added: 0, known: 0, refused: 0 };
  const skipped: Skipped[] = [];
  const titles: string[] = [];
  const seen = new Set<RecordId>();
  const takeAll = (rows: readonly BroughtRow[]): Batch => {
    const batch: Batch = { outcomes: [], skipped: [], seen: new Set() };
    const skip = (from: string, reason: string): void => {
      batch.skipped.push({ from: deps.scrub.text(from), reason });
    };
    const takePiece = (piece: Brought): void => {
      const record = recordOf(deps, options, piece);
      if (record === undefined) return skip(piece.from, "no store can hold what it says");
      const isSeen = seen.has(record.id) || batch.seen.has(record.id);
      const outcome = isSeen ? "known" : put(deps, options, piece, record);
      batch.seen.add(record.id);
      batch.outcomes.push({ outcome, title: record.fields["title"] as unknown as string });
    };
    for (const row of rows) {
      if (row.ok) for (const piece of fitted(row.value)) takePiece(piece);
      else skip(row.from, row.reason);
    }
    return batch;
  };
  return {
    take: (rows) => {
      // Counting stands outside the transaction: one that meets a damaged index runs twice (ST6).
      const batch = deps.store.transact(() => takeAll(rows));
      for (const { outcome, title } of batch.outcomes) {
        counts[outcome] += 1;
        if (outcome === "added" && titles.length < titlesMax) titles.push(title);
      }
      for (const id of batch.seen) seen.add(id);
      skipped.push(...batch.skipped.slice(0, skippedMax - skipped.length));
    },
    report: () => ({ ...counts, skipped, titles }),
  };
}

type Skipped = BroughtReport["skipped"][number];

/** What came of the rows of one commit. */
interface Batch {
  readonly outcomes: { readonly outcome: Outcome; readonly title: string }[];
  readonly skipped: Skipped[];
  readonly seen: Set<RecordId>;
}

type Outcome = "added" | "known" | "refused";

interface BroughtRecord {
  readonly id: RecordId;
  readonly fields: ScrubbedFields;
  readonly atMs: number;
}

function recordOf(
  deps: MemoryDeps,
  { source, placeOf }: BringOptions,
  piece: Brought,
): BroughtRecord | undefined {
  const { title, narrative, facts, concepts, filesRead, filesModified } = piece;
  const texts = { title, narrative, facts, concepts, filesRead, filesModified };
  const content = scrubCaptured(deps.scrub, texts);
  const nowMs = deps.clock.nowMs();
  const isTold = piece.atMs !== undefined && isCredibleTime(piece.atMs, nowMs);
  const atMs = isTold ? (piece.atMs ?? nowMs) : nowMs;
  const context = scrubFields(deps.scrub, contextOf(piece, placeOf(piece).project, atMs));
  if (!content.ok || !context.ok) return undefined;
  // Of scrubbed words: an id that follows from a secret would let it be guessed.
  const said = ["title", "narrative", "facts"].map((name) => JSON.stringify(content.value[name]));
  const id = derivedId(deps.sha256, "import", [source, deps.scrub.text(piece.key), ...said]);
  return { id, fields: { ...content.value, ...context.value }, atMs };
}

function contextOf(piece: Brought, project: string | undefined, createdAt: number): JsonObject {
  const { kind, from, pinned, archived } = piece;
  return {
    kind,
    origin: "import",
    importedFrom: from,
    createdAt,
    ...(project === undefined ? {} : { project }),
    // Another memory's pin is no review by this device's person (RC13).
    ...(pinned === true ? { pinned: true, pinnedOrigin: "import" } : {}),
    ...(archived === true ? { archived: true } : {}),
  };
}

function put(
  deps: MemoryDeps,
  { placeOf, isDry }: BringOptions,
  piece: Brought,
  { id, fields, atMs }: BroughtRecord,
): Outcome {
  const known = deps.store.reads.find(id);
  if (known.ok || known.error.kind !== "unknown-record") return "known";
  if (isDry) return "added";
  const { bindings, changes } = deps.store;
  const wanted = placeOf(piece).namespace;
  const byReach = { device: localNamespace, person: bindings.personal() } as const;
  const namespace = piece.reach === undefined ? wanted : byReach[piece.reach];
  const change = { kind: "put", id, collection: collections.observation, fields } as const;
  return changes.change(namespace, [change], atMs).ok ? "added" : "refused";
}
