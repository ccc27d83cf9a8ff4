import { expect, test } from "vitest";
import { savedRow } from "./table-rows.ts";

const known = ["ns_1", "w1", 0, "dev_1", "laptop", "usr_1", "Ada"];

test("[ST14] a writer's row of before its newest columns is one all the same", () => {
  const row = { namespace: "ns_1", writer: "w1", user_name: "Ada" };
  const saved = (values: readonly (string | number | null)[]) => savedRow({ rowid: 1, values });
  expect(saved(known)).toMatchObject({ table: "writers", row: { ...row, machine: null } });
  expect(saved([...known, null])).toMatchObject({
    table: "writers",
    row: { ...row, machine: null },
  });
  expect(saved([...known, 1])).toMatchObject({ table: "writers", row: { ...row, machine: 1 } });
  expect(saved([...known, "yes"])).toBeUndefined();
  expect(saved([...known, 1, 5])).toMatchObject({ row: { ...row, machine: 1, joined_at: 5 } });
  expect(saved([...known, 1, "yes"])).toBeUndefined();
  expect(saved([...known, 1, 1, 1])).toBeUndefined();
  expect(saved(known.slice(0, 6))).toBeUndefined();
});
