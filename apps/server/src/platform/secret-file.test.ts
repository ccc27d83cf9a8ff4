import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSecretFile } from "./secret-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-secret-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function secret(mode: number): string {
  const path = join(folder, `secret-${mode.toString(8)}`);
  writeFileSync(path, "postgres://…\n");
  chmodSync(path, mode);
  return path;
}

test("[OPS13] a secret's file is closed to others (abuse 6, 188)", () => {
  for (const mode of [0o600, 0o400]) {
    expect(readSecretFile(secret(mode))).toEqual({ ok: true, value: "postgres://…\n" });
  }
  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602, 0o666, 0o777]) {
    expect(readSecretFile(secret(mode))).toEqual({ ok: false, error: "readable-by-others" });
  }
});

test("[OPS13] what is no file to read is no secret", () => {
  mkdirSync(join(folder, "folder"), { mode: 0o700 });
  for (const name of ["none", "folder", ""]) {
    expect(readSecretFile(join(folder, name))).toMatchObject({ ok: false });
  }
});

test.runIf(process.getuid?.() === 0)(
  "[OPS13] a file of somebody else may be readable, as mounted secrets are, not writable for all",
  () => {
    for (const [mode, isTaken] of [
      [0o644, true],
      [0o440, true],
      [0o664, true],
      [0o646, false],
      [0o602, false],
    ] as const) {
      const path = secret(mode);
      chownSync(path, 10_001, 10_001);
      expect(readSecretFile(path).ok).toBe(isTaken);
    }
  },
);
