import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  appendPrivateFile,
  createPrivateFile,
  readPrivateFile,
  replacePrivateFile,
} from "./private-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-file-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("[OPS43] replacing a file gives the new text, 0600, and leaves nothing beside it (abuse 176)", () => {
  const path = join(folder, "device.json");
  expect(replacePrivateFile(path, "one").ok).toBe(true);
  expect(replacePrivateFile(path, "two").ok).toBe(true);
  expect(readPrivateFile(path)).toEqual({ ok: true, value: "two" });
  expect(modeOf(path)).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["device.json"]);
});

test("[OPS43] replacing never writes through a link", () => {
  const target = join(folder, "target");
  const path = join(folder, "device.json");
  writeFileSync(target, "theirs");
  symlinkSync(target, path);
  expect(replacePrivateFile(path, "ours").ok).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("theirs");
  expect(readPrivateFile(path)).toEqual({ ok: true, value: "ours" });
});

test("[OPS43] a replacement that fails leaves the old text (abuse 176)", () => {
  const path = join(folder, "kept");
  mkdirSync(path);
  writeFileSync(join(path, "inside"), "old");
  const replaced = replacePrivateFile(path, "new");
  expect(replaced).toMatchObject({ ok: false, error: { kind: "io" } });
  expect(readFileSync(join(path, "inside"), "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["kept"]);
});

test("[OPS42] a file that exists is not created again", () => {
  const path = join(folder, "device.key");
  expect(createPrivateFile(path, "one").ok).toBe(true);
  expect(createPrivateFile(path, "two")).toMatchObject({ ok: false, error: { kind: "exists" } });
  expect(readPrivateFile(path)).toEqual({ ok: true, value: "one" });
});

test("[OPS42] a missing file reads as undefined", () => {
  expect(readPrivateFile(join(folder, "none"))).toEqual({ ok: true, value: undefined });
});

test("[OPS42] links, loose modes, second names, folders and large files are refused (abuse 175)", () => {
  const path = join(folder, "plain");
  writeFileSync(path, "text", { mode: 0o600 });
  symlinkSync(path, join(folder, "link"));
  const loose = join(folder, "loose");
  writeFileSync(loose, "text");
  chmodSync(loose, 0o644);
  const twice = join(folder, "twice");
  writeFileSync(twice, "text", { mode: 0o600 });
  linkSync(twice, join(folder, "twice-again"));
  for (const name of ["link", "loose", "twice", "."]) {
    const read = readPrivateFile(join(folder, name));
    expect({ name, read }).toMatchObject({ read: { ok: false, error: { kind: "unsafe-file" } } });
  }
  expect(readPrivateFile(path, 3)).toMatchObject({ ok: false, error: { kind: "unsafe-file" } });
});

test("[OPS42] appending adds to the end and refuses a link (abuse 175)", () => {
  const path = join(folder, "spool");
  for (const text of ["a\n", "b\n"]) {
    expect(appendPrivateFile(path, text, { durable: true }).ok).toBe(true);
  }
  expect(readFileSync(path, "utf8")).toBe("a\nb\n");
  symlinkSync(path, join(folder, "link"));
  expect(appendPrivateFile(join(folder, "link"), "c", { durable: false }).ok).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("a\nb\n");
});

test("[OPS43] whatever the umask, a private file is the owner's alone from its first moment (abuse 176)", () => {
  const before = process.umask(0);
  try {
    const [made, replaced, spool] = ["made", "replaced", "spool"].map((name) => join(folder, name));
    expect(createPrivateFile(made ?? "", "a").ok).toBe(true);
    expect(replacePrivateFile(replaced ?? "", "b").ok).toBe(true);
    expect(appendPrivateFile(spool ?? "", "c", { durable: false }).ok).toBe(true);
    for (const path of [made, replaced, spool]) expect(modeOf(path ?? "")).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test("[OPS43] two that replace at once leave one whole text, and nothing beside it (abuse 176)", async () => {
  const path = join(folder, "device.json");
  const script = (text: string): string =>
    `const { replacePrivateFile } = await import(${JSON.stringify(source)});
     for (let at = 0; at < 200; at += 1)
       if (!replacePrivateFile(${JSON.stringify(path)}, ${JSON.stringify(text)}.repeat(5000)).ok)
         process.exit(1);`;
  const codes = await Promise.all(
    ["a", "b"].map(async (text) => {
      const args = ["--import", "tsx", "--conditions=source", "--input-type=module", "-e"];
      const child = spawn(process.execPath, [...args, script(text)], { stdio: "inherit" });
      const [code] = (await once(child, "close")) as [number];
      return code;
    }),
  );
  expect(codes).toEqual([0, 0]);
  expect(readFileSync(path, "utf8")).toMatch(/^(?:a{5000}|b{5000})$/);
  expect(readdirSync(folder)).toEqual(["device.json"]);
});

const source = new URL("private-file.ts", import.meta.url).href;
