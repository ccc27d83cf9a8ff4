import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readScrubTrust, writeScrubTrust } from "./scrub-trust.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scrub-trust-"));
  path = join(folder, "scrub-trust.json");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("[SC56] consent is to one text at one path, and can be taken back", () => {
  expect(readScrubTrust(path)).toEqual({ ok: true, value: {} });
  writeScrubTrust(path, "/a/scrub.toml", "01");
  writeScrubTrust(path, "/b/scrub.toml", "02");
  writeScrubTrust(path, "/a/scrub.toml", "03");
  expect(readScrubTrust(path)).toEqual({
    ok: true,
    value: { "/a/scrub.toml": "03", "/b/scrub.toml": "02" },
  });
  writeScrubTrust(path, "/a/scrub.toml", undefined);
  expect(readScrubTrust(path)).toEqual({ ok: true, value: { "/b/scrub.toml": "02" } });
});

test("[SC56] a damaged or open file is consent to nothing, and is not written over", () => {
  writeFileSync(path, "{", { mode: 0o600 });
  expect(readScrubTrust(path)).toMatchObject({ ok: false, error: { path } });
  expect(writeScrubTrust(path, "/a/scrub.toml", "01").ok).toBe(false);
  rmSync(path);
  writeFileSync(path, '{"/a/scrub.toml":"01"}', { mode: 0o644 });
  expect(readScrubTrust(path).ok).toBe(false);
});
