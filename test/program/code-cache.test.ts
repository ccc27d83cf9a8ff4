/** The caches that the client's programs start from; what is in them shows in time alone. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

const dist = dirname(clientProgram);
const folder = mkdtempSync(join(tmpdir(), "tidemark-cache-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const programs = ["hook", "cli"] as const;

function cacheOf(program: string): string {
  const text = readFileSync(join(dist, `${program}.cjs`));
  return `${program}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.cache`;
}

test.each(programs)("[RL4] V8 takes the cache of %s, which main.js knows by name", (program) => {
  expect(readFileSync(clientProgram, "utf8")).toContain(`"${cacheOf(program)}"`);
  const filename = join(dist, `${program}.cjs`);
  const cachedData = readFileSync(join(dist, cacheOf(program)));
  const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
  expect(script.cachedDataRejected).toBe(false);
});

test("[RL4] programs whose caches are missing, damaged or another V8's do the same", () => {
  const home = join(folder, "home");
  const told = [dist, copy("none"), copy("damaged"), copy("another")].map((place) => {
    const env = { PATH: process.env["PATH"], HOME: home, TIDEMARK_HOME: home };
    const run = (args: readonly string[], input = ""): unknown => {
      const all = [join(place, "main.js"), ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, {
        cwd: folder,
        env,
        input,
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    };
    rmSync(home, { recursive: true, force: true });
    const event = { session_id: "s", cwd: folder, hook_event_name: "SessionStart" };
    return [
      run(["--version"]),
      run(["list", "--json"]),
      run(["hook", "claude-code", "SessionStart"], JSON.stringify(event)),
      run(["no-such-verb"]),
    ];
  });
  const [first] = told;
  expect(first).toMatchObject([{ status: 0 }, { status: 0 }, { status: 0 }, { status: 2 }]);
  expect(told).toEqual(told.map(() => first));
});

/** The programs once more, without their caches or with ones that do not fit. */
function copy(caches: "none" | "damaged" | "another"): string {
  const place = join(folder, caches, "dist");
  cpSync(dist, place, { recursive: true });
  symlinkSync(join(dist, "../node_modules"), join(folder, caches, "node_modules"));
  for (const program of programs) {
    const path = join(place, cacheOf(program));
    const bytes = readFileSync(path);
    // V8 writes its version's hash behind its first four bytes.
    if (caches === "another") writeFileSync(path, bytes.fill(0xff, 4, 8));
    if (caches === "damaged") writeFileSync(path, bytes.subarray(0, bytes.length / 2));
    if (caches === "none") rmSync(path);
  }
  return place;
}
