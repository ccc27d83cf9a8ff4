import { expect, test } from "vitest";
import { chainNext, chainStart } from "./chain.ts";
import type { WriterId } from "./ids.ts";
import { opLine, type SetOp } from "./op.ts";
import { restampOps } from "./restamp.ts";
import { sharedId } from "./testing/arbitraries.ts";
import { sha256 } from "./testing/sha256.ts";

const oldWriter = "old" as WriterId;
const newWriter = "new" as WriterId;

function set(n: number, lamport: number, base: SetOp["base"]): SetOp {
  const fields = { title: `v${n}` };
  return {
    n,
    record: sharedId,
    collection: "observation",
    lamport,
    at: 7,
    op: "set",
    fields,
    base,
  };
}

test("[CH4] a fork keeps lamports, renumbers from 1 and moves bases that name moved ops", () => {
  const ops = [
    set(7, 21, { title: [10, "someone" as WriterId, "h10"] }),
    set(9, 23, { title: [21, oldWriter, "h21"] }),
  ].map((op) => ({ op, writer: oldWriter }));
  const restamped = restampOps(sha256, newWriter, ops);
  expect(restamped.map(({ op }) => [op.n, op.lamport])).toEqual([
    [1, 21],
    [2, 23],
  ]);
  expect(restamped.map(({ op }) => op.op === "set" && op.base["title"])).toEqual([
    [10, "someone", "h10"],
    [21, newWriter, "h21"],
  ]);
});

test("[CH1] the chain runs over the lines as stored, from a start that names the writer", () => {
  const [first, second] = restampOps(sha256, newWriter, [
    { op: set(1, 1, {}), writer: oldWriter },
    { op: set(2, 2, {}), writer: oldWriter },
  ]);
  if (first === undefined || second === undefined) throw new Error("two ops go in, two come out");
  const start = chainStart(sha256, newWriter);
  expect(first.chain).toBe(chainNext(sha256, start, opLine(first.op)));
  expect(second.chain).toBe(chainNext(sha256, first.chain, second.line));
  expect(chainStart(sha256, oldWriter)).not.toBe(start);
});
