import { expect, test } from "vitest";
import { collections } from "./collections.ts";
import { features, protocolVersion, protocolVersionOldest, versionHeader } from "./version.ts";

test("[WR2] every feature has one name of its own, beside a version range", () => {
  expect(new Set(features).size).toBe(features.length);
  for (const feature of features) expect(feature).toMatch(/^[a-z][a-z-]*$/);
  expect(protocolVersionOldest).toBeLessThanOrEqual(protocolVersion);
  expect(features).toEqual([
    "ci-jobs",
    "heal",
    "link-networks",
    "marks",
    "pokes",
    "quarantine",
    "revisions",
    "sealed-namespaces",
    "waiting-invites",
  ]);
  expect(versionHeader).toBe("tidemark-protocol");
});

test("the collections of this version are called on the wire what they are called here", () => {
  expect(Object.entries(collections)).toEqual(
    ["observation", "session", "handoff", "conflict"].map((name) => [name, name]),
  );
});
