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

test("[CL70] a link that shut one device out is told as that", () => {
  const place = { seq: 1, at: 1, target: "l1", hash: "", event: "link-revoked" };
  const of = (devices: number): string =>
    auditLines([{ ...place, details: { kind: "device", devices } }]);
  expect(of(1)).toMatch(/ended the device link l1 and shut out 1 device$/u);
  expect(of(2)).toMatch(/and shut out 2 devices$/u);
  expect(of(0)).toMatch(/ended the device link l1$/u);
});
