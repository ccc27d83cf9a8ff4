import { expect, test } from "vitest";
import type { RecordId, WriterId } from "./ids.ts";
import type { Op, PutOp } from "./op.ts";
import { overlayState } from "./overlay.ts";
import { sharedId } from "./testing/arbitraries.ts";
import { testRecord, testTombstone } from "./testing/records.ts";

const writer = "me" as WriterId;
const head = { n: 1, record: sharedId, collection: "observation", at: 0 };
const put: PutOp = { ...head, lamport: 5, op: "put", fields: { title: "mine" } };
const set: Op = { ...head, lamport: 6, op: "set", fields: { title: "edited" }, base: {} };

test("[OP4] unsent ops lie over confirmed state", () => {
  const confirmed = testRecord({ title: ["theirs", 4, "a"], kind: ["note", 1, "a"] });
  const view = overlayState(confirmed, [{ op: set, writer }]);
  expect(view).toMatchObject({
    registers: { title: { value: "edited" }, kind: { value: "note" } },
  });
  expect(confirmed.registers["title"]?.value).toBe("theirs");
});

test("[OP4] a confirmed value with a higher clock shows through", () => {
  const confirmed = testRecord({ title: ["newer", 9, "a"] });
  expect(overlayState(confirmed, [{ op: set, writer }])).toEqual(confirmed);
});

test("[OP4] on a clock tie the overlay wins", () => {
  const confirmed = testRecord({ title: ["confirmed", 6, "me"] });
  expect(overlayState(confirmed, [{ op: set, writer }])).toMatchObject({
    registers: { title: { value: "edited" } },
  });
});

test("[OP4] a put and the sets behind it make one view", () => {
  const withParent: Op = { ...put, parent: "p" as RecordId };
  expect(
    overlayState(undefined, [
      { op: withParent, writer },
      { op: set, writer },
    ]),
  ).toMatchObject({ id: sharedId, parent: "p", registers: { title: { value: "edited" } } });
});

test("[OP28] a set that a put is newer than which was sent again lies over that all the same", () => {
  const early: Op = { ...set, lamport: 4, fields: { title: "older", narrative: "told" } };
  const view = overlayState(undefined, [
    { op: early, writer },
    { op: put, writer },
  ]);
  const fields = { title: { value: "mine" }, narrative: { value: "told" } };
  expect(view).toMatchObject({ registers: fields });
});

test("[OP4] a set of a record that is not here shows nothing", () => {
  expect(overlayState(undefined, [{ op: set, writer }])).toBeUndefined();
});

test("[TB1] an unsent forget hides the record, and a confirmed tombstone hides every op", () => {
  const forget: Op = { ...head, lamport: 7, op: "forget" };
  const later: Op = { ...set, lamport: 8 };
  expect(
    overlayState(testRecord({ title: ["t", 1, "a"] }), [
      { op: forget, writer },
      { op: later, writer },
    ]),
  ).toEqual(testTombstone());
  expect(overlayState(testTombstone(), [{ op: put, writer }])).toEqual(testTombstone());
});

test("[OP4] a put without a parent shows a record without one, of exactly its fields", () => {
  const clock = { lamport: 5, writer };
  const view = {
    id: sharedId,
    collection: "observation",
    registers: { title: { value: "mine", clock, at: 0 } },
  };
  expect(overlayState(undefined, [{ op: put, writer }])).toStrictEqual(view);
  expect(overlayState(undefined, [])).toBeUndefined();
});

test("[OP4] a put over a record that is here keeps its parent and its other fields", () => {
  const confirmed = { ...testRecord({ kind: ["note", 1, "a"] }), parent: "p" as RecordId };
  expect(overlayState(confirmed, [{ op: { ...put, parent: "q" as RecordId }, writer }])).toEqual({
    ...confirmed,
    registers: {
      ...confirmed.registers,
      title: { value: "mine", clock: { lamport: 5, writer }, at: 0 },
    },
  });
});

test("[TB1] an unsent forget of a record that is not here hides what comes later", () => {
  const forget: Op = { ...head, lamport: 4, op: "forget" };
  expect(
    overlayState(undefined, [
      { op: forget, writer },
      { op: put, writer },
    ]),
  ).toEqual(testTombstone());
});
