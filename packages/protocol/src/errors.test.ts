import { expect, test } from "vitest";
import { errorKinds, familyOf, isErrorCode, type ErrorCode } from "./errors.ts";

// What a client does about a code is a promise to every client that is out there.
const wire: Readonly<Record<ErrorCode, string>> = {
  unavailable: "503 retry",
  "rate-limited": "429 retry",
  "setup-required": "503 auth",
  "invalid-token": "401 auth",
  "use-dpop-nonce": "401 auth",
  "body-changed": "401 auth",
  "query-changed": "401 auth",
  "device-revoked": "401 auth",
  "key-copied": "401 auth",
  "invalid-or-expired": "404 reject",
  "not-found": "404 reject",
  forbidden: "403 reject",
  "already-claimed": "409 reject",
  conflict: "409 reject",
  "last-owner": "409 reject",
  "last-device": "409 reject",
  "device-limited": "403 reject",
  "pair-not-pending": "409 reject",
  "approver-too-new": "403 reject",
  "approvals-locked": "429 reject",
  "pairing-paused": "503 reject",
  "pairing-off": "403 reject",
  "slow-down": "429 retry",
  invalid: "400 reject",
  "too-large": "413 reject",
  "unsupported-media-type": "415 reject",
  "writer-position": "409 heal",
  "writer-foreign": "409 heal",
  history: "409 heal",
  "lamport-too-far": "409 heal",
  "stale-epoch": "409 heal",
  "upgrade-client": "426 upgrade",
  "upgrade-server": "426 upgrade",
  internal: "500 bug",
};

test("[WR3] every code keeps its status and its family, and has one sentence for a stranger", () => {
  const told = Object.entries(errorKinds).map(([code, { status, family }]) => [
    code,
    `${status} ${family}`,
  ]);
  expect(Object.fromEntries(told)).toEqual(wire);
  for (const { title } of Object.values(errorKinds)) expect(title).toMatch(/^[A-Z].+\.$/);
});

test("[WR3] a code of a later version is known to be unknown", () => {
  expect(["history", "teapot", "toString", ""].map(isErrorCode)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(familyOf("history")).toBe("heal");
});
