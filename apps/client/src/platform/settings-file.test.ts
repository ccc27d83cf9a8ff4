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

test("[OPS116] what another program has just made of it is done, and not in the way", () => {
  writeFileSync(path, "after");
  expect(replaceSettingsFile(path, { before: "before", after: "after" })).toEqual({
    ok: true,
    value: undefined,
  });
  expect(replaceSettingsFile(path, { before: undefined, after: "after" })).toEqual({
    ok: true,
    value: undefined,
  });
  expect(replaceSettingsFile(join(folder, "none"), { before: "x", after: undefined })).toEqual({
    ok: true,
    value: undefined,
  });
  expect(readdirSync(folder)).toEqual(["settings.json"]);
});

test("[OPS116] what another program makes of it while the new text is written is done as well", () => {
  writeFileSync(path, "before");
  const look = (place: string): ReturnType<typeof readSettingsFile> => {
    if (readdirSync(folder).length > 1) writeFileSync(path, "after");
    return readSettingsFile(place);
  };
  const replaced = replaceSettingsFile(path, { before: "before", after: "after" }, look);
  expect(replaced).toEqual({ ok: true, value: undefined });
  expect(readdirSync(folder)).toEqual(["settings.json"]);
});

test("[OPS116] a file that another program takes away first is gone as well", () => {
  writeFileSync(path, "before");
  const look = (place: string): ReturnType<typeof readSettingsFile> => {
    const found = readSettingsFile(place);
    rmSync(place);
    return found;
  };
  const replaced = replaceSettingsFile(path, { before: "before", after: undefined }, look);
  expect(replaced).toEqual({ ok: true, value: undefined });
});

test("[OPS116] what its own program writes while the new text is written stays", () => {
  for (const before of ["before", undefined]) {
    rmSync(path, { force: true });
    if (before !== undefined) writeFileSync(path, before);
    const look = (place: string): ReturnType<typeof readSettingsFile> => {
      // The new text is on the disk by then: nothing slow comes between this look and the rename.
      if (readdirSync(folder).some((name) => name.includes(".tidemark-"))) {
        writeFileSync(path, "its own");
      }
      return readSettingsFile(place);
    };
    const replaced = replaceSettingsFile(path, { before, after: "after" }, look);
    expect(replaced).toMatchObject({ ok: false, error: { message: "it has changed meanwhile" } });
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual([
      "its own",
      ["settings.json"],
    ]);
  }
});
