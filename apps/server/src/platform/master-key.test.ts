import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  for (const mode of [0o644, 0o604, 0o660]) {
    chmodSync(path, mode);
    const refused = await readOrMakeMasterKey(systemRandom, dataDir);
    expect(refused).toMatchObject({
      error: { kind: "master-key-open", hint: `close it: chmod 600 ${path}` },
    });
  }
  chmodSync(path, 0o440);
  expect((await readOwnMasterKey(dataDir)).ok).toBe(true);
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
