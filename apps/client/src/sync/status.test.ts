import { emptyDigest, type NamespaceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Replica } from "../store/replica-store.ts";
import { isCutOff, lastFailureText, readLastFailure } from "./last-failure.ts";
import { isSynced, namespaceStatuses } from "./status.ts";

const synced: Replica = {
  namespace: "ns_a" as NamespaceId,
  name: "team",
  kind: "team",
  role: "writer",
  status: "active",
  writer: undefined,
  cursor: "c",
  head: 3,
  confirmed: { digest: emptyDigest, count: 2 },
  lamport: 3,
  unsent: 0,
  unverified: 0,
  rejected: 0,
  needsHeal: false,
  healWhy: undefined,
  verified: true,
  notice: undefined,
  syncedAtMs: 5,
};

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
  expect(namespaceStatuses([local, synced, personal]).map(({ kind }) => kind)).toEqual([
    "personal",
    "team",
  ]);
});

test("[CL21] the outbox counts what is not yet acknowledged", () => {
  const [status] = namespaceStatuses([{ ...synced, unsent: 4, unverified: 2 }]);
  expect(status).toMatchObject({ outbox: 4, unverified: 2, head: 3, cursor: "c", synced: false });
});
