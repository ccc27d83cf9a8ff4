import { bucketOf, isTombstone, type RecordId } from "@tidemark/protocol";
import type { KeyWrap } from "@tidemark/protocol/wire";
import { dayOf } from "../day.ts";
import type { Head, NamespaceWriter, RevisionRow, StoredRecord, WriterRow } from "../port.ts";
import { RowRefused } from "../row-refused.ts";
import { storedForm } from "../stored-form.ts";
import type { AccountState } from "./account-state.ts";
import { memoryReader } from "./namespace-reader.ts";
import type { NamespaceState } from "./namespace-state.ts";

/** What undoes the writes of one transaction, newest last. */
export type Undo = (() => void)[];

/** Takes every write of a transaction back. */
export function rollBack(state: NamespaceState, undo: Undo): void {
  for (const step of undo.toReversed()) step();
  // Putting entries back loses their place in the order of seqs.
  const rows = [...state.idBySeq].toSorted(([left], [right]) => left - right);
  state.idBySeq.clear();
  for (const [seq, id] of rows) state.idBySeq.set(seq, id);
}

/** Writes of one namespace; each leaves behind what undoes it. */
export function memoryWriter(
  state: NamespaceState,
  accounts: AccountState,
  context: {
    readonly undo: Undo;
    readonly nowMs: number;
    readonly refuses: ((record: StoredRecord) => boolean) | undefined;
  },
): NamespaceWriter {
  const { undo, nowMs, refuses } = context;
  const day = dayOf(nowMs);
  return {
    ...memoryReader(state, accounts),
    saveRecords: async (records) => {
      for (const record of records) {
        if (refuses?.(record) === true) throw new RowRefused("P0001");
        saveRecord(state, undo, record);
      }
    },
    addRevisions: async (revisions) => {
      for (const row of revisions) {
        const key = revisionKey(row);
        if (!state.revisions.has(key)) {
          put(undo, state.revisions, key, { row: { ...row, via: row.via }, createdAtMs: nowMs });
        }
      }
    },
    eraseRevisions: async (records) => {
      const erased = new Set(records);
      const due = [...state.revisions].filter(([, { row }]) => erased.has(row.record));
      remove(undo, state.revisions, due);
    },
    saveWriters: async (writers) => {
      for (const { taken = 0, ...row } of writers) {
        put(undo, state.writers, row.writer, row);
        const held = state.takenByWriter.get(row.writer);
        const today = held?.day === day ? held.taken : 0;
        put(undo, state.takenByWriter, row.writer, { day, taken: today + taken });
      }
    },
    takenToday: async (devices) => {
      const takenOf = ({ writer }: WriterRow): number => {
        const held = state.takenByWriter.get(writer);
        return held?.day === day ? held.taken : 0;
      };
      return new Map(
        devices.map((id) => {
          const own = [...state.writers.values()].filter(({ device }) => device === id);
          return [id, own.reduce((sum, row) => sum + takenOf(row), 0)];
        }),
      );
    },
    saveHead: async (head) => {
      saveHead(state, undo, { head, nowMs });
    },
    ...sealedWrites(state, undo),
    trimRevisions: async (beforeMs, rowsMax) => {
      const due = [...state.revisions].filter(([, row]) => row.createdAtMs < beforeMs);
      return remove(undo, state.revisions, due.slice(0, rowsMax));
    },
    trimMarks: async (beforeMs, keepEvery, rowsMax) => {
      const { head } = state.head;
      const due = [...state.marks].filter(
        ([at, row]) => row.createdAtMs < beforeMs && at % keepEvery !== 0 && at !== head,
      );
      return remove(undo, state.marks, due.slice(0, rowsMax));
    },
  };
}

function sealedWrites(
  state: NamespaceState,
  undo: Undo,
): Pick<NamespaceWriter, "addLog" | "saveWraps"> {
  return {
    addLog: async (rows) => {
      const { log } = state;
      undo.push(() => {
        state.log = log;
      });
      state.log = [...log, ...rows];
    },
    saveWraps: async (wraps) => {
      const before = state.wraps;
      undo.push(() => {
        state.wraps = before;
      });
      state.wraps = withWraps(before, wraps);
    },
  };
}

/** Wraps with others beside them, or in the place of older ones. */
export function withWraps(
  before: readonly KeyWrap[],
  wraps: readonly KeyWrap[],
): readonly KeyWrap[] {
  const nameOf = ({ recipient, epoch }: KeyWrap): string => `${epoch} ${recipient}`;
  return [...new Map([...before, ...wraps].map((wrap) => [nameOf(wrap), wrap])).values()];
}

function saveRecord(state: NamespaceState, undo: Undo, record: StoredRecord): void {
  const form = storedForm(record.state);
  const before = state.records.get(form.id);
  if (before !== undefined) {
    put(undo, state.idBySeq, before.seq, undefined);
    unlink(state, undo, before.form.parent, form.id);
  }
  const row = {
    seq: record.seq,
    form,
    bucket: bucketOf(form.id),
    digest: record.digest,
    bytes: record.bytes,
    via: record.via,
    author: record.author,
  };
  put(undo, state.records, form.id, row);
  put(undo, state.idBySeq, record.seq, form.id);
  if (!isTombstone(record.state)) link(state, undo, form.parent, form.id);
}

function link(state: NamespaceState, undo: Undo, parent: RecordId | null, id: RecordId): void {
  if (parent === null) return;
  const children = state.childrenByParent.get(parent) ?? new Set();
  state.childrenByParent.set(parent, children.add(id));
  undo.push(() => void children.delete(id));
}

function unlink(state: NamespaceState, undo: Undo, parent: RecordId | null, id: RecordId): void {
  const children = parent === null ? undefined : state.childrenByParent.get(parent);
  if (children?.delete(id) === true) undo.push(() => void children.add(id));
}

function saveHead(
  state: NamespaceState,
  undo: Undo,
  next: { readonly head: Head; readonly nowMs: number },
): void {
  const before = state.head;
  const { head, nowMs } = next;
  undo.push(() => {
    state.head = before;
  });
  state.head = head;
  if (head.head !== before.head) {
    put(undo, state.marks, head.head, { mark: head.mark, createdAtMs: nowMs });
  }
}

function revisionKey(row: RevisionRow): string {
  return JSON.stringify([row.record, row.field, row.lamport, row.writer, row.hash]);
}

function put<K, V>(undo: Undo, map: Map<K, V>, key: K, value: V | undefined): void {
  const before = map.get(key);
  undo.push(() => {
    if (before === undefined) map.delete(key);
    else map.set(key, before);
  });
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function remove<K, V>(undo: Undo, map: Map<K, V>, due: readonly (readonly [K, V])[]): number {
  for (const [key] of due) put(undo, map, key, undefined);
  return due.length;
}
