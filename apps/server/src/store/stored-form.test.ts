import { compactState, tombstone, type LiveRecord } from "@tidemark/protocol";
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

test("a row names the writers of all its clocks", () => {
  expect(writersOfForm(storedForm(edited))).toEqual(["wa", "wb"]);
  expect(writersOfForm(storedForm(forgotten))).toEqual([]);
});
