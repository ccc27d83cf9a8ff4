import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeLauncher } from "./launcher-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-launcher-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("[OPS115] a launcher that is made anew can be started at every moment", async () => {
  const path = join(folder, "bin", "tidemark");
  writeLauncher(path, "#!/bin/sh\n");
  const script = `
    const { writeLauncher } = await import(${JSON.stringify(new URL("launcher-file.ts", import.meta.url).href)});
    for (let round = 0; round < 200; round += 1) writeLauncher(${JSON.stringify(path)}, "#!/bin/sh\\n# " + round + "\\n");
    process.stdout.write("done");`;
  const args = ["--import", "tsx", "--conditions=source", "--input-type=module", "-e", script];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const modes = new Set<number>();
  const ended = text(child.stdout);
  while (child.exitCode === null) {
    for (let look = 0; look < 200; look += 1) modes.add(statSync(path).mode & 0o777);
    await new Promise(setImmediate);
  }
  expect([await ended, [...modes]]).toEqual(["done", [0o700]]);
  expect(readFileSync(path, "utf8")).toBe("#!/bin/sh\n# 199\n");
});
