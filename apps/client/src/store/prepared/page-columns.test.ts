import {
  canonicalJson,
  fieldsOf,
  isTombstone,
  readCanonicalRecord,
  storedRecord,
  type DecodedState,
  type JsonObject,
} from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testSha256 as sha256 } from "../testing/test-store.ts";
import { projectionOf } from "../view/search-side.ts";
import { columnsOf, linesOfColumns, type PageLine } from "./page-columns.ts";
import { PreparedRecord } from "./prepared-record.ts";

/** The lines as another thread gets them. */
function throughThread(lines: readonly string[]): readonly PageLine[] {
  return linesOfColumns(structuredClone(columnsOf(sha256, lines)));
}

function seenOf({ state, seq }: DecodedState): unknown {
  if (isTombstone(state)) throw new Error("it is no live record");
  const { id, collection, parent, registers } = state;
  const shown = [projectionOf(state, false), projectionOf(state, true)];
  const stored = storedRecord(sha256, state);
  return { seq, id, collection, parent, registers, fields: fieldsOf(state), stored, shown };
}

function expectSame(lines: readonly string[]): void {
  const through = throughThread(lines);
  expect(through).toHaveLength(lines.length);
  for (const [place, line] of lines.entries()) {
    const read = readCanonicalRecord(line);
    const brought = through[place];
    if (read === undefined) {
      expect(brought).toBe(line);
      continue;
    }
    if (brought === undefined || typeof brought === "string") throw new Error("it was not read");
    expect(brought.state).toBeInstanceOf(PreparedRecord);
    expect(seenOf(brought)).toEqual(seenOf(read));
  }
}

function lineOf(fields: JsonObject, parent?: string): string {
  const below = parent === undefined ? "" : `"parent":"${parent}",`;
  const head = `"seq":7,"id":"r1","collection":"observation",${below}`;
  return `{${head}"lamport":3,"writer":"w1","at":5,"fields":${canonicalJson(fields)}}`;
}

test("[PL25] a record read by another thread is the record that its line says, search side and digest included", () => {
  const full = {
    archived: false,
    concepts: ["cache", "router"],
    createdAt: 1_800_000_000_000,
    facts: ["one", "two"],
    filesRead: ["src/a.ts"],
    kind: "decision",
    narrative: "why",
    origin: "user",
    pinned: true,
    project: "git:example.org/app",
    session: "s1",
    supersededBy: "r0",
    title: "what",
  };
  expectSame([lineOf(full), lineOf({ title: "small" }), lineOf({ archived: true }, "p1")]);
  expectSame([lineOf({ createdAt: "then", title: "é → 😀" })]);
});

test("[PL25] lines that only the process itself can read keep their places", () => {
  const tail = '{"head":7}';
  const forgotten = '{"seq":8,"id":"r2","collection":"observation","forgotten":true}';
  const record = lineOf({ title: "t" });
  expectSame([]);
  expectSame([tail]);
  expectSame([forgotten, record, forgotten, forgotten, record, record, tail]);
  expectSame([record, "not JSON", tail, record]);
});

test("[PL25] any page comes through as it is", () => {
  const text = fc.string({ unit: "binary" });
  const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.double());
  const name = fc.constantFrom("title", "kind", "archived", "createdAt", "facts", "tag/a", "other");
  const line = fc
    .tuple(fc.dictionary(name, value), fc.option(fc.constant("p1"), { nil: undefined }))
    .map(([fields, parent]) => lineOf(JSON.parse(JSON.stringify(fields)) as JsonObject, parent));
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 12 }), (lines) => {
      expectSame(lines);
    }),
    { seed: 20_261_128, numRuns: 300 },
  );
});
