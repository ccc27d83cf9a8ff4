import { expect, test } from "vitest";
import { isCutOff, lastFailureName, lastFailureText, readLastFailure } from "./last-failure.ts";
import { isSynced, namespaceStatuses } from "./status.ts";
import { syncedReplica as synced } from "./testing/replica.ts";

test("[CL20] a copy that is sent, verified and whole is synced", () => {
  expect(isSynced(synced)).toBe(true);
});

test.each([
  { unsent: 1 },
  { unverified: 1 },
  { rejected: 1 },
  { needsHeal: true },
  { verified: false },
  { status: "parked" },
  { status: "unpaired" },
  { kind: "local" },
] as const)("[CL20] a copy with %j is not synced", (change) => {
  expect(isSynced({ ...synced, ...change })).toBe(false);
});

test.each([
  ["auth", "device-revoked", false],
  ["upgrade", "upgrade-client", false],
  ["retry", "unreachable", true],
] as const)("[CL20] after a sync that failed with %s, %s: synced %s", (family, code, expected) => {
  const failure = readLastFailure(lastFailureText({ family, code, title: "Why." }, 7));
  expect(isSynced(synced, failure)).toBe(expected);
  expect(isCutOff(failure)).toBe(!expected);
});

test("[CL21] status lists the personal namespace first and leaves `local` out", () => {
  const personal = { ...synced, kind: "personal", name: "zz" } as const;
  const local = { ...synced, kind: "local" } as const;
  const other = { ...synced, name: "other" };
  for (const replicas of [
    [local, synced, other, personal],
    [personal, synced, local, other],
    [synced, personal, other],
  ]) {
    const names = namespaceStatuses(replicas).map(({ name }) => name);
    expect(names).toEqual(["zz", "team", "other"]);
  }
});

test("[CL21] the outbox counts what is not yet acknowledged", () => {
  const [status] = namespaceStatuses([{ ...synced, unsent: 4, unverified: 2 }]);
  expect(status).toMatchObject({ outbox: 4, unverified: 2, head: 3, cursor: "c", synced: false });
});

test("[CL21] a status tells all of a namespace, and null for what no server has said", () => {
  const told = {
    id: "ns_a",
    name: "team",
    kind: "team",
    role: "writer",
    status: "active",
    outbox: 0,
    unverified: 0,
    rejected: 0,
    cursor: "c",
    head: 3,
    records: 2,
    synced: true,
    syncedAt: 5,
    notice: "forked",
  };
  expect(namespaceStatuses([{ ...synced, notice: "forked" }])).toEqual([told]);
  const untold = { ...synced, role: undefined, syncedAtMs: undefined };
  expect(namespaceStatuses([untold])).toEqual([
    { ...told, role: null, syncedAt: null, notice: null },
  ]);
});

test("[CL20] what was kept of the last failure is read back, and nothing where there was none", () => {
  expect(readLastFailure(undefined)).toBeUndefined();
  expect(isCutOff(undefined)).toBe(false);
  const text = lastFailureText({ family: "auth", code: "x", title: "Why." }, 7);
  expect(readLastFailure(text)).toEqual({ family: "auth", code: "x", message: "Why.", at: 7 });
  const [status] = namespaceStatuses([synced], readLastFailure(text));
  expect(status?.synced).toBe(false);
  expect(lastFailureName).toBe("sync.last-failure");
});
