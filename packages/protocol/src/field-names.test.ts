import { expect, test } from "vitest";
import { decodeOp, decodeState } from "./decode.ts";

const inherited = ["toString", "valueOf", "hasOwnProperty", "__defineGetter__", "constructor"];

test.each(inherited)("[WR1] a field called %s is refused, not looked up in a prototype", (name) => {
  const head = { n: 1, record: "r", collection: "observation", lamport: 1, at: 0 };
  const put = JSON.stringify({ ...head, op: "put", fields: { [name]: 1 } });
  const set = JSON.stringify({ ...head, op: "set", fields: { [name]: 1 }, base: {} });
  const state = JSON.stringify({
    id: "r",
    collection: "observation",
    lamport: 1,
    writer: "w",
    at: 0,
    fields: { [name]: 1 },
  });
  expect(decodeOp(put, 1)).toEqual({ ok: false, error: "invalid" });
  expect(decodeOp(set, 1)).toEqual({ ok: false, error: "invalid" });
  expect(decodeState(state)).toEqual({ ok: false, error: "invalid" });
});

test("[WR1] a put or state without any field is refused: nobody could read its clock back", () => {
  const put = { n: 1, record: "r", collection: "c", lamport: 1, at: 0, op: "put", fields: {} };
  const state = { id: "r", collection: "c", lamport: 1, writer: "w", at: 0, fields: {} };
  expect(decodeOp(JSON.stringify(put), 1)).toEqual({ ok: false, error: "invalid" });
  expect(decodeState(JSON.stringify(state))).toEqual({ ok: false, error: "invalid" });
});
