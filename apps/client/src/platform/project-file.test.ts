import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProjectFile } from "./project-file.ts";

const name = ".tidemark/scrub.toml";
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "project-file-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function textAt(folder: string, home?: string): string | undefined {
  mkdirSync(join(root, folder), { recursive: true });
  const read = readProjectFile(join(root, folder), name, home);
  return read.ok ? read.value?.text : `problem: ${read.error.problem}`;
}

test("[SC55] the nearest file counts, up to the top of the working copy", () => {
  write(name, "outside");
  write("repo/.git/config", "");
  write(`repo/${name}`, "top");
  write(`repo/a/${name}`, "near");
  expect(textAt("repo/a/b")).toBe("near");
  expect(textAt("repo/c")).toBe("top");
  rmSync(join(root, "repo", name));
  expect(textAt("repo/c")).toBeUndefined();
});

test("[SC55] without a working copy it is looked for up to the home, and else only here", () => {
  write(`home/${name}`, "home");
  expect(textAt("home/notes/today", join(root, "home"))).toBe("home");
  expect(textAt("home/notes/today", join(root, "other"))).toBeUndefined();
  expect(textAt("home", undefined)).toBe("home");
});

test("[SC55] what is no file, is too large or cannot be read is a problem and not an absence", () => {
  mkdirSync(join(root, name), { recursive: true });
  expect(textAt(".")).toBe("problem: it is no file");
  rmSync(join(root, name), { recursive: true });
  symlinkSync(join(root, "nowhere"), join(root, name));
  expect(textAt(".")).toBeUndefined();
  rmSync(join(root, name));
  write(name, "#".repeat(300_000));
  expect(textAt(".")).toBe("problem: it is larger than 262144 bytes");
});

test("[SC55] a file in the folder's place is no settings file", () => {
  write(".tidemark", "a file");
  expect(textAt(".")).toBeUndefined();
});
