import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettingsFile, replaceSettingsFile } from "./settings-file.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-settings-"));
  path = join(folder, "settings.json");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[IN6] a file is made with its folder, for its owner alone, and removed again", () => {
  const deep = join(folder, "a", "b", "mcp.json");
  expect(readSettingsFile(deep)).toEqual({ ok: true, value: undefined });
  expect(replaceSettingsFile(deep, { before: undefined, after: "{}" }).ok).toBe(true);
  expect(statSync(deep).mode & 0o777).toBe(0o600);
  expect(replaceSettingsFile(deep, { before: "{}", after: undefined }).ok).toBe(true);
  expect(readdirSync(join(folder, "a", "b"))).toEqual([]);
});

test("[IN6] a file that is replaced keeps its mode, and nothing is left beside it", () => {
  writeFileSync(path, "old");
  chmodSync(path, 0o640);
  expect(replaceSettingsFile(path, { before: "old", after: "new" }).ok).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(["settings.json"]);
});

test("[IN6] a link stays a link: what it leads to is replaced", () => {
  const target = join(folder, "dotfiles.json");
  writeFileSync(target, "old");
  symlinkSync(target, path);
  expect(replaceSettingsFile(path, { before: "old", after: "new" }).ok).toBe(true);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("new");
});

test.each([
  ["has other text", "other", "old"],
  ["is there where none was", "other", undefined],
  ["is gone", undefined, "old"],
])("[IN6] a file that %s meanwhile is left alone", (_, now, before) => {
  if (now !== undefined) writeFileSync(path, now);
  expect(replaceSettingsFile(path, { before, after: "new" })).toMatchObject({
    ok: false,
    error: { message: "it has changed meanwhile", hint: "run this again" },
  });
  expect(readSettingsFile(path)).toEqual({ ok: true, value: now });
});

test("[IN5] what is no text file is told apart", () => {
  mkdirSync(path);
  expect(readSettingsFile(path)).toMatchObject({ ok: false, error: { message: "it is no file" } });
  const binary = join(folder, "binary");
  writeFileSync(binary, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(readSettingsFile(binary)).toMatchObject({
    ok: false,
    error: { message: "it is no UTF-8" },
  });
});
