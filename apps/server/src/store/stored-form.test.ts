import {
  compactState,
  NewRecord,
  opLine,
  readCanonicalPut,
  tombstone,
  type LiveRecord,
  type RecordId,
  type WriterId,
} from "@tidemark/protocol";
import { expect, test } from "vitest";
import { lineOfForm, stateOfForm, storedForm, writersOfForm } from "./stored-form.ts";

const clockA = { lamport: 3, writer: "wa" } as LiveRecord["registers"][string]["clock"];
const clockB = { lamport: 9, writer: "wb" } as LiveRecord["registers"][string]["clock"];
const edited = {
  id: "r1",
  collection: "observation",
  parent: "p1",
  registers: {
    title: { value: 'a "quoted"\nline', clock: clockA, at: 5 },
    tags: { value: ["x", { y: null }], clock: clockB, at: 6 },
  },
} as unknown as LiveRecord;
const forgotten = tombstone(edited.id, "observation");

test.each([edited, forgotten])("a row gives back the state it was made of", (state) => {
  expect(stateOfForm(storedForm(state))).toEqual(state);
});

test.each([edited, forgotten])("[PL5] a spliced line says what the parsed record says", (state) => {
  expect(JSON.parse(lineOfForm(7, storedForm(state)))).toEqual({ seq: 7, ...compactState(state) });
});

test("[OP6] a record that is new has the row that its registers would make", () => {
  const head = {
    n: 1,
    record: edited.id,
    collection: "note",
    lamport: 4,
    at: 8,
    op: "put",
  } as const;
  for (const more of [{}, { parent: "p1" as RecordId }]) {
    const line = opLine({ ...head, ...more, fields: { b: ["é", 1], a: 'a "quote"' } });
    const put = readCanonicalPut(line, 1);
    if (put === undefined) throw new Error("the line is canonical");
    const state = new NewRecord(put, "wa" as WriterId);
    const { id, collection, registers } = state;
    expect(storedForm(state)).toEqual(storedForm({ id, collection, ...more, registers }));
  }
});

test("a row names the writers of all its clocks", () => {
  expect(writersOfForm(storedForm(edited))).toEqual(["wa", "wb"]);
  expect(writersOfForm(storedForm(forgotten))).toEqual([]);
});
