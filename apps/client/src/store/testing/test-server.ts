import {
  applyOp,
  bucketCount,
  bucketOf,
  chainNext,
  chainStart,
  decodeOp,
  decodeState,
  emptyDigest,
  healRecords,
  highestLamport,
  isTombstone,
  recordDigest,
  replaceInSet,
  tombstone,
  valueHash,
  type BaseEntry,
  type DecodedLine,
  type DecodedState,
  type NamespaceId,
  type Op,
  type OpResult,
  type PastClocks,
  type Position,
  type RecordId,
  type RecordState,
  type RejectCode,
  type SetDigest,
  type WriterId,
} from "@tidemark/protocol";
import type {
  DigestsAnswer,
  HealTail,
  PullTail,
  PushAnswer,
  WriterInfo,
} from "@tidemark/protocol/wire";
import type { PulledPage, PushPlan } from "../replica-store.ts";
import { testSha256 } from "./test-store.ts";

interface Placed {
  readonly seq: number;
  readonly state: RecordState;
}

interface ServerState {
  readonly records: Map<RecordId, Placed>;
  readonly marks: Map<number, string>;
  readonly writers: Map<WriterId, Position>;
  readonly past: Map<string, BaseEntry[]>;
  head: number;
  lamport: number;
}

/** A refused request. */
export type Refusal =
  | { readonly kind: "writer-position"; readonly position: Position }
  | { readonly kind: "history" };

/**
 * One namespace of a server in a few lines, on the protocol's pure functions. It stands in for the
 * real one in tests of the store alone: atomic, in memory, and easy to restore from a backup.
 */
export class TestServer {
  readonly namespace: NamespaceId;
  #state: ServerState = {
    records: new Map(),
    marks: new Map([[0, "mark-0-0"]]),
    writers: new Map(),
    past: new Map(),
    head: 0,
    lamport: 0,
  };
  #era = 0;
  /** The seqs that this transaction has given: a record gets one (PS4). */
  readonly #seqs = new Map<RecordId, number>();
  /** Ops that the server refuses, by record. */
  readonly refusals = new Map<string, RejectCode>();
  /** What each heal is refused, by record. */
  readonly healRefusals = new Map<string, RejectCode>();
  writers: readonly WriterInfo[] = [];
  /** Whether answers to pushes say what the push alone made of the namespace (PS12). */
  tellsAdvance = false;

  constructor(namespace: NamespaceId) {
    this.namespace = namespace;
  }

  /** A backup, to be given to {@link TestServer.restore}. */
  backup(): object {
    return structuredClone(this.#state);
  }

  restore(backup: object): void {
    this.#state = structuredClone(backup as ServerState);
    this.#era += 1;
  }

  state(id: string): RecordState | undefined {
    return this.#state.records.get(id as RecordId)?.state;
  }

  /** Loses a record behind everybody's back, as a damaged disk does. */
  lose(id: string): void {
    this.#state.records.delete(id as RecordId);
  }

  states(): readonly RecordState[] {
    return [...this.#state.records.values()].map(({ state }) => state);
  }

  push(plan: Pick<PushPlan, "header" | "lines">): PushAnswer | Refusal {
    const { writer, after, chain } = plan.header;
    const position = this.#state.writers.get(writer) ?? startOf(writer);
    if (position.acked !== after || position.chain !== chain) {
      return { kind: "writer-position", position };
    }
    const results: OpResult[] = [];
    this.#seqs.clear();
    const from = this.#state.head;
    let next = chain;
    for (const [index, line] of plan.lines.entries()) {
      const n = after + index + 1;
      next = chainNext(testSha256, next, line);
      const result = this.#consume(writer, n, line);
      if (result !== undefined) results.push(result);
    }
    const taken = { acked: after + plan.lines.length, chain: next, since: after, results };
    this.#state.writers.set(writer, taken);
    const info = this.#headInfo();
    const cursor = `${info.head} ${info.head} ${info.mark}`;
    const isTold = this.tellsAdvance && results.length === 0;
    return {
      ...info,
      position: taken,
      results,
      ...(isTold ? { advance: { from, cursor, ...this.#set() } } : {}),
    };
  }

  pull(after: string, writer: WriterId | undefined, limit = 1000): PulledPage | Refusal {
    const cursor = parseCursor(after);
    if (cursor.head > this.#state.head || this.#state.marks.get(cursor.head) !== cursor.mark) {
      return { kind: "history" };
    }
    const above = [...this.#state.records.values()]
      .filter(({ seq }) => seq > cursor.seq)
      .toSorted((left, right) => left.seq - right.seq);
    const page = above.slice(0, limit);
    const more = above.length > page.length;
    const seq = more ? (page.at(-1)?.seq ?? 0) : this.#state.head;
    const info = this.#headInfo();
    const tail: PullTail = {
      ...info,
      ...this.#set(),
      cursor: `${seq} ${info.head} ${info.mark}`,
      more,
      position: (writer === undefined ? undefined : this.#state.writers.get(writer)) ?? null,
      writers: this.writers,
    };
    return { records: page.map((placed) => ({ ...placed, line: {} })), tail };
  }

  digests(): DigestsAnswer {
    const buckets: SetDigest[] = Array.from({ length: bucketCount }, () => emptySet);
    for (const { state } of this.#state.records.values()) {
      const bucket = bucketOf(state.id);
      const digest = recordDigest(testSha256, state);
      buckets[bucket] = replaceInSet(buckets[bucket] ?? emptySet, undefined, digest);
    }
    const info = this.#headInfo();
    return {
      ...info,
      ...this.#set(),
      cursor: `${info.head} ${info.head} ${info.mark}`,
      buckets: buckets.map(({ digest, count }) => [digest, count]),
    };
  }

  bucket(bucket: number): ReadonlyMap<RecordId, string> {
    const states = this.states().filter(({ id }) => bucketOf(id) === bucket);
    return new Map(states.map((state) => [state.id, recordDigest(testSha256, state)]));
  }

  heal(
    lines: readonly string[],
    want: readonly RecordId[],
    lamport: number,
  ): { readonly records: readonly DecodedState[]; readonly tail: HealTail } {
    const named = new Set(want);
    this.#seqs.clear();
    this.#state.lamport = Math.max(this.#state.lamport, lamport);
    const refused: { id: RecordId; code: RejectCode }[] = [];
    for (const line of lines) {
      const decoded = decodeState(line);
      if (!decoded.ok) throw new Error(decoded.error);
      const { id } = decoded.value.state;
      named.add(id);
      const code = this.healRefusals.get(id);
      if (code === undefined) this.#healOne(decoded.value);
      else refused.push({ id, code });
    }
    const records = [...named].flatMap((id) => {
      const placed = this.#state.records.get(id);
      return placed === undefined ? [] : [{ ...placed, line: {} }];
    });
    return { records, tail: { ...this.#headInfo(), ...this.#set(), refused } };
  }

  #consume(writer: WriterId, n: number, line: string): OpResult | undefined {
    const decoded = decodeOp(line, n);
    if (!decoded.ok) return { n, result: "rejected", code: decoded.error };
    const op = decoded.value;
    this.#state.lamport = Math.max(this.#state.lamport, op.lamport);
    const refusal = this.refusals.get(op.record);
    if (refusal !== undefined) return { n, result: "rejected", code: refusal };
    return this.#apply(writer, op);
  }

  #apply(writer: WriterId, op: Op): OpResult | undefined {
    const parentId = op.op === "put" ? op.parent : undefined;
    const parent = parentId === undefined ? undefined : this.state(parentId);
    const stored = this.state(op.record);
    const outcome = applyOp(op, { sha256: testSha256, writer, stored, parent });
    switch (outcome.kind) {
      case "applied":
      case "conflict":
        this.#save(outcome.state);
        for (const conflict of outcome.conflicts) this.#saveNew(conflict);
        for (const { record, field, register } of outcome.overwritten) {
          this.#addPast(record, field, register.clock, register.value);
        }
        return outcome.kind === "conflict" ? { n: op.n, result: "conflict" } : undefined;
      case "erased":
        this.#erase(outcome.state.id, outcome.state.collection);
        return undefined;
      case "forgotten":
        this.#saveNew(outcome.state);
        return { n: op.n, result: "forgotten" };
      case "unknown-record":
        return { n: op.n, result: "unknown-record" };
      case "rejected":
        return { n: op.n, result: "rejected", code: outcome.code };
    }
  }

  #healOne(decoded: DecodedLine): void {
    const { state: incoming, line } = decoded;
    this.#state.lamport = Math.max(this.#state.lamport, highestLamport(incoming));
    const stored = this.state(incoming.id);
    if (isTombstone(incoming)) {
      if (stored === undefined || !isTombstone(stored))
        this.#erase(incoming.id, incoming.collection);
      return;
    }
    const parent = incoming.parent === undefined ? undefined : this.state(incoming.parent);
    if (parent !== undefined && isTombstone(parent)) {
      this.#save(tombstone(incoming.id, incoming.collection));
    } else if (stored === undefined) {
      this.#save(incoming);
    } else {
      const past = (line["past"] ?? {}) as unknown as PastClocks;
      const input = { stored, storedPast: this.#pastOf(stored), incoming, incomingPast: past };
      const outcome = healRecords(testSha256, input);
      this.#save(outcome.state);
      for (const conflict of outcome.conflicts) this.#saveNew(conflict);
    }
  }

  #pastOf(state: RecordState): PastClocks {
    if (isTombstone(state)) return {};
    return Object.fromEntries(
      Object.keys(state.registers).map((field) => [
        field,
        this.#state.past.get(`${state.id} ${field}`) ?? [],
      ]),
    );
  }

  #addPast(
    record: string,
    field: string,
    clock: { readonly lamport: number; readonly writer: WriterId },
    value: Parameters<typeof valueHash>[1],
  ): void {
    const key = `${record} ${field}`;
    const entry: BaseEntry = [clock.lamport, clock.writer, valueHash(testSha256, value)];
    this.#state.past.set(key, [...(this.#state.past.get(key) ?? []), entry]);
  }

  #saveNew(state: RecordState): void {
    const held = this.state(state.id);
    if (held === undefined || (isTombstone(state) && !isTombstone(held))) this.#save(state);
  }

  #save(state: RecordState): void {
    const seq = this.#seqs.get(state.id) ?? this.#state.head + 1;
    this.#seqs.set(state.id, seq);
    this.#state.head = Math.max(this.#state.head, seq);
    this.#state.records.set(state.id, { seq, state });
    this.#state.marks.set(this.#state.head, `mark-${this.#era}-${this.#state.head}`);
  }

  #erase(id: RecordId, collection: string): void {
    this.#save(tombstone(id, collection));
    for (const state of this.states()) {
      if (!isTombstone(state) && state.parent === id) this.#erase(state.id, state.collection);
    }
  }

  #set(): SetDigest {
    let set: SetDigest = emptySet;
    for (const { state } of this.#state.records.values()) {
      set = replaceInSet(set, undefined, recordDigest(testSha256, state));
    }
    return set;
  }

  #headInfo(): { readonly head: number; readonly mark: string; readonly lamport: number } {
    const { head, lamport, marks } = this.#state;
    return { head, mark: marks.get(head) ?? "", lamport };
  }
}

const emptySet: SetDigest = { digest: emptyDigest, count: 0 };

function startOf(writer: WriterId): Position {
  return { acked: 0, chain: chainStart(testSha256, writer), since: 0, results: [] };
}

function parseCursor(text: string): {
  readonly seq: number;
  readonly head: number;
  readonly mark: string;
} {
  const [seq = "0", head = "0", mark = "mark-0-0"] = text === "" ? [] : text.split(" ");
  return { seq: Number(seq), head: Number(head), mark };
}
