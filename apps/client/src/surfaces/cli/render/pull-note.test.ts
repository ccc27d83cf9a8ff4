import type { NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { NamespaceStatus } from "../../../sync/status.ts";
import { pullNote } from "./pull-note.ts";

const hourMs = 3_600_000;
const nowMs = 100 * hourMs;
const pulling: NamespaceStatus = {
  id: "ns" as NamespaceId,
  name: "ours",
  kind: "team",
  role: "writer",
  status: "active",
  outbox: 0,
  unverified: 1,
  rejected: 0,
  cursor: "c",
  head: 9,
  records: 1_234_567,
  synced: false,
  syncedAt: nowMs - 3 * hourMs,
  notice: null,
};

test.each([
  ["a pull that goes on for hours", {}, "last pulled to its end 3h ago: 1234567 records here"],
  ["a first pull", { syncedAt: null }, "not pulled to its end yet: 1234567 records here"],
  ["one that has brought nothing", { syncedAt: null, records: 0 }, ""],
  ["one of a while", { syncedAt: nowMs - hourMs + 1 }, ""],
  ["a synced namespace", { synced: true }, ""],
  ["a parked one", { status: "parked" }, ""],
  ["a parked one without a record", { status: "parked", syncedAt: null, records: 0 }, ""],
] as const)("[EN28] status says of %s since when, and how much came", (_, given, told) => {
  expect(pullNote({ ...pulling, ...given }, nowMs)).toBe(told);
});

test("[CL85] status says of a namespace that was left in the middle of its first pull that it is not whole", () => {
  const left = { ...pulling, status: "parked", syncedAt: null } as const;
  expect(pullNote(left, nowMs)).toBe(
    "no pull is known to have reached its end: 1234567 records here",
  );
});
