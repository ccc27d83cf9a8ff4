import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  compareInstance,
  InstanceFileDamaged,
  readInstanceFile,
  writeInstanceFile,
} from "./instance-file.ts";
import { systemRandom } from "./random.ts";

let dataDir = "";
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tidemark-instance-"));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

const claimed = { serverId: "s1", isClaimed: true };
const unclaimed = { serverId: "s1", isClaimed: false };

test("[OPS4] the instance file is private, read back as written, and never guessed", async () => {
  expect(await readInstanceFile(dataDir)).toBeUndefined();
  await writeInstanceFile(systemRandom, dataDir, claimed);
  expect(await readInstanceFile(dataDir)).toEqual(claimed);
  const path = join(dataDir, "instance.json");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const damaged of ['{"serverId":7}', '{"serverId', ""]) {
    await writeFile(path, damaged);
    await expect(readInstanceFile(dataDir)).rejects.toBeInstanceOf(InstanceFileDamaged);
  }
});

test.each([
  ["a first start", undefined, undefined, "agrees"],
  ["a first start that made the database only", undefined, unclaimed, "write-file"],
  ["an unclaimed server", unclaimed, unclaimed, "agrees"],
  ["an unclaimed server with a new database", unclaimed, undefined, "agrees"],
  ["a server claimed just before a crash", unclaimed, claimed, "write-file"],
  ["a lost file", undefined, claimed, "write-file"],
  ["a claimed server", claimed, claimed, "agrees"],
])("[OPS4] %s starts", (_, file, database, verdict) => {
  expect(compareInstance(file, database)).toEqual({ ok: true, value: verdict });
});

test.each([
  ["an empty database", undefined, "database-lost"],
  ["an unclaimed database", unclaimed, "database-lost"],
  ["another server's database", { serverId: "s2", isClaimed: true }, "other-database"],
])("[OPS4] a claimed server with %s refuses to start", (_, database, kind) => {
  expect(compareInstance(claimed, database)).toMatchObject({ ok: false, error: { kind } });
});
