import { expect, test } from "vitest";
import { largeDatabaseBytes as large } from "../../store/repair/large-database.ts";
import { createCheckNotice } from "./check-notice.ts";
import { createToldIo } from "./testing/told-io.ts";

function toldOf(isErrTty: boolean, bytes: number): readonly string[] {
  const { io, told } = createToldIo();
  const notice = createCheckNotice({ ...io, isErrTty }, () => bytes);
  notice.begin("checking");
  const begun = told.err;
  notice.end();
  return [begun, told.err.slice(begun.length)];
}

test("[TM7] in a terminal the check of a large database is told, and the line taken away", () => {
  expect(toldOf(true, large)).toEqual(["checking …", "\r\u001B[K"]);
});

test("[TM7] of a small one nothing is told, nor anything where nobody looks", () => {
  expect(toldOf(true, large - 1)).toEqual(["", ""]);
  expect(toldOf(false, large)).toEqual(["", ""]);
});
