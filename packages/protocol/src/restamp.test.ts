import { expect, test } from "vitest";
import { chainNext, chainStart } from "./chain.ts";
import type { WriterId } from "./ids.ts";
import { opLine, type Op, type SetOp } from "./op.ts";
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

test("[CH4] a base follows the op that it names, and only that op's field and record", () => {
  const put: Op = {
    n: 4,
    record: sharedId,
    collection: "observation",
    lamport: 20,
    at: 7,
    op: "put",
    fields: { title: "v", kind: "note" },
  };
  const named = [20, oldWriter, "h"] as const;
  const bases: readonly SetOp["base"][] = [
    { title: named },
    { kind: named },
    { narrative: named },
    { title: [19, oldWriter, "h"] },
    { title: [20, "someone" as WriterId, "h"] },
    { title: null },
  ];
  const sets = bases.map((base, index) => set(5 + index, 30 + index, base));
  const elsewhere: Op = { ...set(11, 40, { title: named }), record: "other" as typeof sharedId };
  const restamped = restampOps(
    sha256,
    newWriter,
    [put, ...sets, elsewhere].map((op) => ({ op, writer: oldWriter })),
  );
  const moved = [20, newWriter, "h"];
  expect(restamped.slice(1).map(({ op }) => op.op === "set" && op.base)).toEqual([
    { title: moved },
    { kind: moved },
    ...bases.slice(2),
    { title: named },
  ]);
});

test("[CH4] a forget is stamped again like every op, and is no base of anything", () => {
  const head = { record: sharedId, collection: "observation", at: 7 };
  const forget: Op = { ...head, n: 8, lamport: 22, op: "forget" };
  const ops = [forget, set(9, 23, { title: [22, oldWriter, "h"] })];
  const [first, second] = restampOps(
    sha256,
    newWriter,
    ops.map((op) => ({ op, writer: oldWriter })),
  );
  expect(first?.op).toEqual({ ...forget, n: 1 });
  expect(second?.op).toMatchObject({ n: 2, base: { title: [22, oldWriter, "h"] } });
});
