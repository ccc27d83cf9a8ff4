import { expect, test } from "vitest";
import { features, protocolVersion, protocolVersionOldest } from "./version.ts";

test("[WR2] every feature has one name of its own, beside a version range", () => {
  expect(new Set(features).size).toBe(features.length);
  for (const feature of features) expect(feature).toMatch(/^[a-z][a-z-]*$/);
  expect(protocolVersionOldest).toBeLessThanOrEqual(protocolVersion);
});
