import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createPrivateFile,
  isErrno,
  makePrivateDir,
  readTextIfAny,
  writePrivateFile,
} from "./files.ts";
import { systemRandom } from "./random.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidemark-files-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("[OPS3] private files are 0600, private folders 0700, and a shared folder stays shared", async () => {
  const dir = join(folder, "a", "b");
  await makePrivateDir(dir);
  const path = join(dir, "instance.json");
  await writeFile(path, "old", { mode: 0o644 });
  await writePrivateFile(systemRandom, path, "new");
  expect(await readFile(path, "utf8")).toBe("new");
  expect(await mode(path)).toBe(0o600);
  expect(await mode(dir)).toBe(0o700);
  expect(await readdir(dir)).toEqual(["instance.json"]);
  const shared = join(folder, "shared");
  await mkdir(shared);
  await chmod(shared, 0o755);
  await makePrivateDir(shared);
  expect(await mode(shared)).toBe(0o755);
});

test("[OPS3] a failed write leaves the old file and nothing beside it", async () => {
  const path = join(folder, "occupied");
  await makePrivateDir(join(path, "child"));
  await expect(writePrivateFile(systemRandom, path, "new")).rejects.toThrow("EISDIR");
  expect(await readdir(folder)).toEqual(["occupied"]);
});

test("[OPS3] a private file is created once", async () => {
  const path = join(folder, "password");
  await createPrivateFile(path, "one");
  const again = await createPrivateFile(path, "two").catch((cause: unknown) => cause);
  expect(isErrno(again, "EEXIST")).toBe(true);
  expect(await readTextIfAny(path)).toBe("one");
  expect(await readTextIfAny(join(folder, "none"))).toBeUndefined();
});
