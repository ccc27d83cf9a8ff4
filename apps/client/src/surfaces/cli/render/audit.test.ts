import { expect, test } from "vitest";
import { auditLines } from "./audit.ts";

test("[AD6] a word that no door is called is shown as it is", () => {
  const details = { name: "desk", platform: "linux", by: "constructor" };
  const item = { seq: 1, at: 1, event: "device-joined", target: "dev_1", details, hash: "" };
  expect(auditLines([item])).toContain("joined constructor");
});

test("[AD6] a yes, and a link that guesses have ended, are told in words", () => {
  const place = { seq: 1, at: 1, target: "l1", hash: "" };
  const yes = { name: "desk", platform: "linux" };
  const lines = auditLines([
    { ...place, event: "pairing-approved", details: yes },
    { ...place, event: "link-revoked", details: { kind: "device", guesses: 10 } },
  ]);
  expect(lines).toContain("said yes to a device desk (linux)");
  expect(lines).toContain("ended the device link l1 after 10 wrong secrets");
});
