import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { writeBackupFile } from "./backup-file.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-backup-file-"));
const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A program that has written half of a backup and waits. */
const half = `
import { writeBackupFile } from ${JSON.stringify(join(import.meta.dirname, "backup-file.ts"))};
const random = { bytes: (count) => new Uint8Array(count).fill(7) };
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => process.exit(130));
await writeBackupFile(random, process.argv[1], async (write) => {
  await write(new Uint8Array(100_000));
  process.stdout.write("half\\n");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});`;

test.each(["SIGINT", "SIGTERM"] as const)(
  "[OPS80] a backup that is ended by %s leaves nothing behind",
  async (signal) => {
    const args = ["--conditions=source", "--import", "tsx", "--input-type=module", "-e", half];
    const child = spawn(process.execPath, [...args, join(folder, "one.backup")]);
    await once(child.stdout, "data");
    await vi.waitUntil(() => readdirSync(folder).length > 0);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.[0-9a-f]{16}\.tmp$/)]);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("[OPS80] until a backup is whole nothing stands at its name, not even for a moment", async () => {
  const seen: (string | null)[] = [];
  const watcher = watch(folder, (_, name) => seen.push(name));
  const failed = writeBackupFile(random, join(folder, "none.backup"), () =>
    Promise.reject(new Error("the database is gone")),
  );
  await expect(failed).rejects.toThrow("the database is gone");
  writeFileSync(join(folder, "seen"), "");
  await vi.waitUntil(() => seen.includes("seen"), { timeout: 60_000 });
  watcher.close();
  rmSync(join(folder, "seen"));
  expect(seen).toContainEqual(expect.stringMatching(/^\.[0-9a-f]{16}\.tmp$/));
  expect(seen).not.toContain("none.backup");
});

test("[OPS80] once a backup is written, the end of the program is nobody's business any more", async () => {
  const before = process.listenerCount("exit");
  await writeBackupFile(random, join(folder, "two.backup"), async (write) => {
    expect(process.listenerCount("exit")).toBe(before + 1);
    await write(new Uint8Array(10));
  });
  expect(process.listenerCount("exit")).toBe(before);
  expect(readdirSync(folder)).toEqual(["two.backup"]);
});

test("[OPS80] of two backups that are written to one name at once, the second replaces nothing", async () => {
  const path = join(folder, "three.backup");
  const other = { bytes: (count: number) => new Uint8Array(count).fill(8) };
  const late = writeBackupFile(random, path, async () => {
    await writeBackupFile(other, path, async (write) => {
      await write(new Uint8Array(10));
    });
  });
  await expect(late).rejects.toMatchObject({ code: "EEXIST" });
  expect(readdirSync(folder)).toEqual(["three.backup", "two.backup"]);
});
