import {
  appendFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type * as Files from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  createFolder,
  createTextFile,
  fileLines,
  textFileBytesMax,
  textLineCharsMax,
  type NewTextFolder,
} from "./text-file.ts";

/** What was brought to the disk: the inode of each file or folder, and how long it was then. */
const synced = new Map<number, number>();

vi.mock("node:fs", async (original) => {
  const files = await original<typeof Files>();
  const fsyncSync = (file: number): void => {
    files.fsyncSync(file);
    const { ino, size } = fstatSync(file);
    synced.set(ino, size);
  };
  return { ...files, fsyncSync };
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-text-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function linesOf(text: string): Promise<readonly string[]> {
  const path = join(folder, "in.txt");
  writeFileSync(path, text);
  const lines = fileLines(path);
  if (!lines.ok) throw new Error(lines.error.message);
  const all: string[] = [];
  for await (const line of lines.value) all.push(line);
  return all;
}

test("[CL17] lines end at line feeds alone", async () => {
  expect(await linesOf("a\u{2028}b\r\nc\n\nd")).toEqual(["a\u{2028}b\r", "c", "", "d"]);
});

test("[CL17] lines and characters longer than a chunk stay whole", async () => {
  const long = "é🎉".repeat(50_000);
  expect(await linesOf(`${long}\nshort\n`)).toEqual([long, "short"]);
});

test("[CL17] a file that is not there, and a folder, are told", () => {
  for (const path of [join(folder, "nothing"), folder]) {
    expect(fileLines(path)).toMatchObject({ ok: false, error: { code: "no-file" } });
  }
});

test("[CL17] a line without end costs no more than its limit, and the next one comes whole (abuse 180)", async () => {
  const path = join(folder, "long.jsonl");
  const piece = "x".repeat(8_388_608);
  writeFileSync(path, '{"id":"');
  for (let at = 0; at < 5; at += 1) appendFileSync(path, piece);
  appendFileSync(path, `"}\n{"id":"next"}\n`);
  const lines = fileLines(path);
  if (!lines.ok) throw new Error(lines.error.message);
  const lengths: number[] = [];
  let last = "";
  for await (const line of lines.value) {
    lengths.push(line.length);
    last = line;
  }
  expect(lengths).toEqual([1_000, 13]);
  expect(last).toBe('{"id":"next"}');
});

test("[CL17] a line as long as the limit is whole (abuse 180)", async () => {
  const [line = ""] = await linesOf("y".repeat(textLineCharsMax));
  expect(line.length).toBe(textLineCharsMax);
});

test("[CL17] devices, sockets and files beyond a GiB are not read (abuse 180)", () => {
  const sparse = join(folder, "sparse.jsonl");
  writeFileSync(sparse, "");
  truncateSync(sparse, textFileBytesMax + 1);
  expect(fileLines(sparse)).toMatchObject({ ok: false, error: { code: "too-large" } });
  if (existsSync("/dev/zero")) {
    const device = fileLines("/dev/zero");
    expect(device).toMatchObject({ ok: false, error: { message: "/dev/zero is no file" } });
  }
});

test("[CL17] what is written goes through no link (abuse 180)", () => {
  const target = join(folder, "target");
  symlinkSync(target, join(folder, "out.txt"));
  expect(createTextFile(join(folder, "out.txt"))).toMatchObject({ ok: false });
  expect(existsSync(target)).toBe(false);
});

test("[CL17] a new file replaces none", () => {
  const path = join(folder, "out.txt");
  expect(createTextFile(path).ok).toBe(true);
  expect(createTextFile(path)).toMatchObject({ ok: false, error: { code: "exists" } });
});

test("[IM20] a file that is done is on the disk with all that was written, and with its name", () => {
  const path = join(folder, "out.txt");
  const file = createTextFile(path);
  if (!file.ok) throw new Error(file.error.message);
  for (const text of ["one\n", "two\n"]) expect(file.value.append(text).ok).toBe(true);
  synced.clear();
  expect(file.value.end().ok).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  expect(synced.get(statSync(path).ino)).toBe(8);
  expect(synced.has(statSync(folder).ino)).toBe(process.platform !== "win32");
});

test("[IM19] what is written goes into the file that was made, whatever its name leads to by then", () => {
  const path = join(folder, "out.txt");
  const file = createTextFile(path);
  if (!file.ok) throw new Error(file.error.message);
  expect(file.value.append("one\n").ok).toBe(true);
  renameSync(path, join(folder, "moved.txt"));
  expect(file.value.append("two\n").ok).toBe(true);
  expect(file.value.end().ok).toBe(true);
  expect(readdirSync(folder)).toEqual(["moved.txt"]);
  expect(readFileSync(join(folder, "moved.txt"), "utf8")).toBe("one\ntwo\n");
});

test("[CL65] a file that is given up is gone, and another one of its name is not", () => {
  const path = join(folder, "out.txt");
  for (const isReplaced of [false, true]) {
    const file = createTextFile(path);
    if (!file.ok) throw new Error(file.error.message);
    if (isReplaced) {
      rmSync(path);
      // Another file for sure: the number of the old one is taken as long as it is open.
      writeFileSync(path, "of somebody else");
    }
    file.value.drop();
    expect(readdirSync(folder)).toEqual(isReplaced ? ["out.txt"] : []);
  }
});

test("[CL65] lines end where their reader wants to stop", async () => {
  const path = join(folder, "in.txt");
  writeFileSync(path, "x\n".repeat(200_000));
  const stop = new AbortController();
  const lines = fileLines(path, stop.signal);
  if (!lines.ok) throw new Error(lines.error.message);
  let count = 0;
  for await (const line of lines.value) {
    count += line.length;
    stop.abort();
  }
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(200_000);
});

/** A new folder of a person's, with a file of its own that is done. */
function folderWithFile(path: string): NewTextFolder {
  const made = createFolder(path);
  if (!made.ok) throw new Error(made.error.message);
  const file = made.value.create("one.md");
  if (!file.ok) throw new Error(file.error.message);
  expect(file.value.append("one\n").ok && file.value.end().ok).toBe(true);
  return made.value;
}

test("[IM19] a folder that is given up is gone with all that was written and made for it", () => {
  const made = folderWithFile(join(folder, "new", "memory"));
  const open = made.create("two.md");
  expect(open.ok && open.value.append("two\n").ok).toBe(true);
  made.drop();
  expect(readdirSync(folder)).toEqual([]);
});

test("[IM19] a folder that was there before stays, and so does what somebody else put into a new one", () => {
  const before = join(folder, "before");
  mkdirSync(before);
  folderWithFile(before).drop();
  expect(readdirSync(before)).toEqual([]);
  const shared = join(folder, "new", "shared");
  const made = folderWithFile(shared);
  writeFileSync(join(shared, "two.md"), "of somebody else");
  expect(made.create("two.md")).toMatchObject({ ok: false, error: { code: "exists" } });
  made.drop();
  expect(readdirSync(shared)).toEqual(["two.md"]);
});
