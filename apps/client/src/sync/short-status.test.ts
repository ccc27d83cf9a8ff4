import { expect, test } from "vitest";
import type { NamespaceId } from "@tidemark/protocol";
import type { Replica } from "../store/replica-store.ts";
import { shortStatus, type ShortFacts } from "./short-status.ts";

const nowMs = 1_800_000_000_000;

function replica(more: Partial<Replica> = {}): Replica {
  return {
    namespace: "ns_1" as NamespaceId,
    name: "Evil\u001B[31m",
    kind: "personal",
    role: "owner",
    status: "active",
    writer: undefined,
    cursor: "",
    head: 0,
    confirmed: { digest: "", count: 0 },
    lamport: 1,
    unsent: 0,
    unverified: 0,
    rejected: 0,
    needsHeal: false,
    healWhy: undefined,
    verified: true,
    notice: undefined,
    syncedAtMs: nowMs - 120_000,
    ...more,
  };
}

const failure = { code: "network", family: "retry", message: "x", at: nowMs } as const;

test.each<[string, Partial<ShortFacts>]>([
  ["tidemark 7 here · synced 2m ago", {}],
  ["tidemark 7 here · not paired", { isPaired: false }],
  ["tidemark 9999+ here · synced 2m ago", { observations: 10_000 }],
  ["tidemark 7 here · 3 waiting", { replicas: [replica({ unsent: 2, unverified: 1 })] }],
  [
    "tidemark 7 here · 3 waiting, offline",
    { replicas: [replica({ unsent: 3 })], lastFailure: failure },
  ],
  ["tidemark 7 here · 1 refused", { replicas: [replica({ rejected: 1, unsent: 4 })] }],
  ["tidemark 7 here · pull due", { replicas: [replica({ verified: false })] }],
  ["tidemark 7 here · captures wait", { isSpooled: true }],
  ["tidemark 7 here · offline", { lastFailure: failure }],
  ["tidemark 7 here · shut out", { lastFailure: { ...failure, family: "auth" } }],
  [
    "tidemark 7 here · synced 49h ago",
    { replicas: [replica({ syncedAtMs: nowMs - 49 * 3_600_000 })] },
  ],
])("[CL50] %s", (line, facts) => {
  const usual = { observations: 7, replicas: [replica()], isPaired: true, isSpooled: false, nowMs };
  expect(shortStatus({ ...usual, ...facts })).toBe(line.replace("49h", "2d"));
});
