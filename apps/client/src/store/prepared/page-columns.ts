/**
 * The lines of a page as lists that one thread gives another: ten thousand objects cost whoever
 * takes them thrice as much. A page is read into them by one thread, and out of them by another.
 */
import {
  CanonicalPut,
  NewRecord,
  readCanonicalRecord,
  type DecodedState,
  type Digest,
  type RecordId,
  type Sha256,
  type WriterId,
} from "@tidemark/protocol";
import type { Bound } from "../sqlite.ts";
import { makeProjection } from "../view/search-side.ts";
import { PreparedRecord } from "./prepared-record.ts";

/** A line of a page: what it says, or where that is still to be read, itself. */
export type PageLine = string | DecodedState;

/** The lines of a page, by column; the places of what could be prepared and of the rest interleave. */
export interface PageColumns {
  /** How many lines there are. */
  readonly count: number;
  /** Lines as they came, and the place of each: the last one, and what is not new or not canonical. */
  readonly others: readonly (readonly [place: number, line: string])[];
  readonly seqs: number[];
  readonly ids: RecordId[];
  readonly collections: string[];
  readonly parents: (RecordId | undefined)[];
  readonly lamports: number[];
  readonly writers: WriterId[];
  readonly ats: number[];
  readonly fields: string[];
  readonly digests: Digest[];
  /** The shown columns of each, in their order. */
  readonly shown: Bound[][];
  readonly titles: string[];
  readonly texts: string[];
  readonly tags: string[];
}

/** Reads lines, and prepares all that can be. */
export function columnsOf(sha256: Sha256, lines: readonly string[]): PageColumns {
  const others: [number, string][] = [];
  const columns = emptyColumns(lines.length, others);
  for (const [place, line] of lines.entries()) {
    const read = readCanonicalRecord(line);
    if (read?.seq !== undefined && read.state instanceof NewRecord) {
      addRecord(columns, sha256, { state: read.state, seq: read.seq });
    } else others.push([place, line]);
  }
  return columns;
}

function emptyColumns(count: number, others: PageColumns["others"]): PageColumns {
  return {
    count,
    others,
    seqs: [],
    ids: [],
    collections: [],
    parents: [],
    lamports: [],
    writers: [],
    ats: [],
    fields: [],
    digests: [],
    shown: [],
    titles: [],
    texts: [],
    tags: [],
  };
}

function addRecord(
  columns: PageColumns,
  sha256: Sha256,
  { state, seq }: { readonly state: NewRecord; readonly seq: number },
): void {
  const { lamport, writer, at, fields } = state.text;
  const { values, text } = makeProjection(state);
  columns.seqs.push(seq);
  columns.ids.push(state.id);
  columns.collections.push(state.collection);
  columns.parents.push(state.parent);
  columns.lamports.push(lamport);
  columns.writers.push(writer);
  columns.ats.push(at);
  columns.fields.push(fields);
  columns.digests.push(state.digest(sha256));
  for (const [column, value] of values.entries()) (columns.shown[column] ??= []).push(value);
  columns.titles.push(text.title);
  columns.texts.push(text.text);
  columns.tags.push(text.tags);
}

/** The lines of columns, in the order in which they came. */
export function linesOfColumns(columns: PageColumns): readonly PageLine[] {
  const lines: PageLine[] = [];
  let next = 0;
  for (const [place, line] of columns.others) {
    while (lines.length < place) lines.push(recordAt(columns, next++));
    lines.push(line);
  }
  while (lines.length < columns.count) lines.push(recordAt(columns, next++));
  return lines;
}

function recordAt(columns: PageColumns, place: number): DecodedState {
  const of = <Value>(column: readonly Value[]): Value => column[place] as Value;
  const head = {
    n: 1,
    record: of(columns.ids),
    collection: of(columns.collections),
    parent: of(columns.parents),
    lamport: of(columns.lamports),
    at: of(columns.ats),
  };
  const put = new CanonicalPut(head, of(columns.fields));
  const text = { title: of(columns.titles), text: of(columns.texts), tags: of(columns.tags) };
  const made = {
    digest: of(columns.digests),
    projection: { values: columns.shown.map((column) => column[place] ?? null), text },
  };
  const state = new PreparedRecord(put, of(columns.writers), made);
  return { state, seq: of(columns.seqs) };
}
