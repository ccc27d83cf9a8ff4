import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "../random.ts";
import { locateBinaries, prepareBinaries, type PostgresPackage } from "./binaries.ts";
import { runProgram } from "./run-program.ts";

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidemark-programs-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/**
 * A copy of the installed package as an install without scripts leaves it: no links. Which files
 * are links is read from the package: a package manager that caches what scripts made may have
 * put whole files in their place.
 */
async function installWithoutLinks(): Promise<PostgresPackage> {
  const installed = await locateBinaries();
  if (!installed.ok) throw new Error(installed.error.message);
  const from = installed.value.root;
  const list = await readFile(join(from, "native", "pg-symlinks.json"), "utf8");
  const targets: readonly { readonly target: string }[] = JSON.parse(list);
  const links = new Set(targets.map(({ target }) => join(from, target)));
  const root = join(folder, "closed", "package");
  await mkdir(join(folder, "closed"), { mode: 0o700 });
  await cp(from, root, { recursive: true, filter: (path) => !links.has(path) });
  return { root, version: installed.value.version };
}

test.skipIf(process.platform === "win32")(
  "[PG24] links between libraries that the install left out are made in place",
  async () => {
    const found = await installWithoutLinks();
    const cacheDir = join(folder, "cache");
    const prepared = await prepareBinaries(systemRandom, found, { runAs: undefined, cacheDir });
    expect(prepared).toMatchObject({ ok: true, value: { major: 18 } });
    expect((await lstat(join(found.root, "native/lib/libpq.so.5"))).isSymbolicLink()).toBe(true);
    await expect(lstat(cacheDir)).rejects.toThrow("ENOENT");
  },
);

test.runIf(isRoot)(
  "[PG24] programs the unprivileged user may not read are copied to where it can",
  async () => {
    const found = await installWithoutLinks();
    await chmod(folder, 0o755);
    const options = { runAs: nobody, cacheDir: join(folder, "cache") };
    for (const round of ["copied", "found again"]) {
      const prepared = await prepareBinaries(systemRandom, found, options);
      if (!prepared.ok) throw new Error(`${round}: ${prepared.error.message}`);
      expect(prepared.value.postgres).toContain(options.cacheDir);
      const end = await runProgram(prepared.value.postgres, ["--version"], {
        folder: "/",
        runAs: nobody,
      });
      expect(end).toEqual({ code: 0, output: "postgres (PostgreSQL) 18.4" });
    }
  },
);

test("[PG24] programs that do not start are reported with the way out", async () => {
  const found = { root: join(folder, "empty"), version: "18.0.0" };
  await mkdir(join(found.root, "native", "bin"), { recursive: true });
  await cp(import.meta.filename, join(found.root, "package.json"));
  const options = { runAs: undefined, cacheDir: join(folder, "cache") };
  const prepared = await prepareBinaries(systemRandom, found, options);
  expect(prepared).toMatchObject({
    ok: false,
    error: { kind: "binaries-unusable", hint: expect.stringContaining("DATABASE_URL") },
  });
});
