import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  masterKeyPath,
  readMasterKey,
  readOrMakeMasterKey,
  readOwnMasterKey,
} from "./master-key.ts";
import { systemRandom } from "./random.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), "tidemark-master-")), "data");
});
afterEach(() => {
  rmSync(join(dataDir, ".."), { recursive: true, force: true });
});

test("[OPS71] the first start makes a key for its user alone, and later ones read it", async () => {
  const made = await Promise.all(
    [0, 1, 2].map(async () => await readOrMakeMasterKey(systemRandom, dataDir)),
  );
  const path = masterKeyPath(dataDir);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const bytes = Buffer.from(readFileSync(path, "utf8"), "base64");
  expect(bytes).toHaveLength(32);
  for (const key of made) expect(key.ok && Buffer.from(key.value).equals(bytes)).toBe(true);
  const named = await readMasterKey(path);
  expect(named.ok && Buffer.from(named.value).equals(bytes)).toBe(true);
});

test("[OPS71] a file that others may read, or that holds no key, is refused with the way out", async () => {
  const path = masterKeyPath(dataDir);
  for (const missing of [await readMasterKey(path), await readOwnMasterKey(dataDir)]) {
    expect(missing).toMatchObject({ error: { kind: "master-key-missing" } });
  }
  await readOrMakeMasterKey(systemRandom, dataDir);
  for (const mode of [0o644, 0o604, 0o662]) {
    chmodSync(path, mode);
    const refused = await readOrMakeMasterKey(systemRandom, dataDir);
    expect(refused).toMatchObject({
      error: { kind: "master-key-open", hint: `close it: chmod 600 ${path}` },
    });
  }
  // Where a container's secret is put, its folder keeps others out.
  chmodSync(path, 0o444);
  expect((await readMasterKey(path)).ok).toBe(true);
  chmodSync(path, 0o646);
  expect(await readMasterKey(path)).toMatchObject({ error: { kind: "master-key-open" } });
  chmodSync(path, 0o600);
  for (const text of ["", "short", `${"A".repeat(43)}==A`, "é".repeat(43), "A".repeat(44)]) {
    writeFileSync(path, text);
    const refused = await readOrMakeMasterKey(systemRandom, dataDir);
    expect(refused).toMatchObject({ error: { kind: "master-key-damaged" } });
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("[OPS71] a file of ours that a volume opened to a group is closed, and read", async () => {
  const path = masterKeyPath(dataDir);
  const made = await readOrMakeMasterKey(systemRandom, dataDir);
  for (const mode of [0o640, 0o660, 0o440]) {
    chmodSync(path, mode);
    expect(await readOrMakeMasterKey(systemRandom, dataDir)).toEqual(made);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
});

test("[OPS71] a file that is there and cannot be read is no missing one", async () => {
  const path = masterKeyPath(dataDir);
  // Tests may run as root, who may read everything but a folder.
  mkdirSync(path, { recursive: true });
  expect(await readOrMakeMasterKey(systemRandom, dataDir)).toMatchObject({
    error: { kind: "master-key-unreadable", message: `${path} cannot be read (EISDIR)` },
  });
});

test("[OPS71] the file is there whole or not at all, and nothing is left beside it", async () => {
  // Whoever loses reads what the winner made; an empty file would be a damaged key.
  const keys = await Promise.all(
    Array.from({ length: 20 }, async () => await readOrMakeMasterKey(systemRandom, dataDir)),
  );
  for (const key of keys) expect(key).toEqual(keys[0]);
  expect(keys[0]?.ok).toBe(true);
  expect(readdirSync(dataDir)).toEqual(["master.key"]);
});
