import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withRow } from "./ledger.ts";

test("[SI5] a kind of fault that is new has zeros in the rows before it", () => {
  const ledger = withRow("commit,first_seed,delay\nabc,1,7\n", ["def", "2"]);
  const [head = "", first = "", last] = ledger.split("\n");
  const cells = first.split(",");
  const named = Object.fromEntries(head.split(",").map((name, index) => [name, cells[index]]));
  expect(named).toMatchObject({ commit: "abc", first_seed: "1", delay: "7", olderReplica: "0" });
  expect(last).toBe("def,2");
});

test("[SI5] the ledger has one cell for each column in every row", () => {
  const path = join(import.meta.dirname, "../../docs/reliability/ledger.csv");
  const [head = "", ...rows] = readFileSync(path, "utf8").trimEnd().split("\n");
  const width = head.split(",").length;
  expect(rows.map((row) => row.split(",").length)).toEqual(rows.map(() => width));
});
