import {
  fail,
  limits,
  ok,
  type DeviceId,
  type NamespaceId,
  type Result,
  type WriterId,
} from "@tidemark/protocol";
import type { PullTail } from "@tidemark/protocol/wire";
import { serverLimits } from "../limits.ts";
import type { Head, NamespaceReader, PageLine, WriterRow } from "../store/port.ts";
import { cursorText, parseCursor, type Cursor } from "./cursor.ts";
import { positionOf } from "./push-plan.ts";
import type { SyncDeps } from "./sync-deps.ts";
import type { SyncError } from "./sync-error.ts";
import { inRead } from "./transaction.ts";

/** States as NDJSON lines, and the line that ends them. */
export interface StatesAnswer<Tail> {
  readonly lines: readonly string[];
  readonly tail: Tail;
}

/** A pull as it came in. */
export interface PullRequest {
  readonly namespace: NamespaceId;
  readonly device: DeviceId;
  readonly writer?: WriterId | undefined;
  /** A cursor's text; empty or undefined: from the start. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Gives the next page: records, head, digest and position from one snapshot (PL2). */
export async function pull(
  deps: Pick<SyncDeps, "store">,
  request: PullRequest,
): Promise<Result<StatesAnswer<PullTail>, SyncError>> {
  const cursor = cursorOf(request.after);
  if (!cursor.ok) return cursor;
  return inRead(deps.store, request.namespace, (tx) => readPage(tx, request, cursor.value));
}

function cursorOf(after: string | undefined): Result<Cursor | undefined, SyncError> {
  if (after === undefined || after === "") return ok(undefined);
  const cursor = parseCursor(after);
  return cursor.ok ? cursor : fail({ kind: "invalid" });
}

async function readPage(
  tx: NamespaceReader,
  request: PullRequest,
  cursor: Cursor | undefined,
): Promise<Result<StatesAnswer<PullTail>, SyncError>> {
  const [head, access, mark, own, read] = await Promise.all([
    tx.head(),
    tx.access(request.device),
    cursor === undefined ? undefined : tx.markOf(cursor.head),
    ownWriter(tx, request),
    tx.page(cursor?.seq ?? 0, countMaxOf(request), limits.pullBytesMax),
  ]);
  if (access === undefined) return fail({ kind: "not-found" });
  // Restored and regrown: this server's next page is not what follows the replica's (MK2).
  if (mark !== cursor?.mark) return fail({ kind: "history" });
  const page = withinWriters(read);
  const writers = await tx.writers(writersOf(page));
  return ok({ lines: page.map(({ line }) => line), tail: tailOf({ head, page, own, writers }) });
}

// Nobody is told how far the writers of another device have come.
async function ownWriter(
  tx: NamespaceReader,
  request: PullRequest,
): Promise<WriterRow | undefined> {
  const row = request.writer === undefined ? undefined : await tx.writer(request.writer);
  return row?.device === request.device ? row : undefined;
}

function countMaxOf(request: PullRequest): number {
  return Math.min(Math.max(request.limit ?? limits.pullRecordsMax, 1), limits.pullRecordsMax);
}

interface ReadPage {
  readonly head: Head;
  readonly page: readonly PageLine[];
  readonly own: WriterRow | undefined;
  readonly writers: PullTail["writers"];
}

function tailOf({ head: standing, page, own, writers }: ReadPage): PullTail {
  const { head, mark, lamport, digest, count } = standing;
  const last = page.at(-1)?.seq ?? head;
  const more = last < head;
  return {
    // Also where more is left: the newest head told, with its mark (PL7).
    cursor: cursorText({ seq: more ? last : head, head, mark }),
    more,
    head,
    mark,
    lamport,
    digest,
    count,
    position: positionOf(own) ?? null,
    writers,
  };
}

/** As much of a page as names no more writers than an answer may (PL5). */
function withinWriters(page: readonly PageLine[]): readonly PageLine[] {
  const seen = new Set<WriterId>();
  for (const [index, { writers }] of page.entries()) {
    for (const writer of writers) seen.add(writer);
    if (seen.size > serverLimits.answer.writersMax) return page.slice(0, index);
  }
  return page;
}

function writersOf(page: readonly PageLine[]): readonly WriterId[] {
  return [...new Set(page.flatMap(({ writers }) => writers))];
}
