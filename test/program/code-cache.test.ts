/** The caches that the client's programs start from; what is in them shows in time alone. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clientProgram } from "./client-process.ts";

const dist = dirname(clientProgram);
const folder = mkdtempSync(join(tmpdir(), "tidemark-cache-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const programs = ["hook", "cli"] as const;
const caches = ["missing", "cut short", "another V8", "another Node"] as const;

function cacheOf(program: string): string {
  const text = readFileSync(join(dist, `${program}.cjs`));
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `${program}-${hash}-${process.version}-${process.platform}-${process.arch}.cache`;
}

/** Put before a program, tells what V8 said of the cache of each script. */
const watch = join(folder, "watch.cjs");
writeFileSync(
  watch,
  `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    process.stderr.write("rejected: " + this.cachedDataRejected + "\\n");
  }
};`,
);

function run(
  place: string,
  args: readonly string[],
  { input = "", env = {} }: { input?: string; env?: Readonly<Record<string, string>> } = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const home = join(folder, "home");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(place, "main.js"), ...args],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: home, TIDEMARK_HOME: home, ...env },
      input,
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

test("[RL4] the hook and every other command start from a cache that V8 takes", () => {
  const env = { NODE_OPTIONS: `--require=${watch}` };
  expect(run(dist, ["--version"], { env }).stderr).toBe("rejected: false\n");
  const { stderr } = run(dist, ["hook", "claude-code", "Stop"], { input: "{}", env });
  expect(stderr).toBe("rejected: false\n");
});

test.each(programs)(
  "[RL4] all of %s is strict, as the modules are that it is made of",
  (program) => {
    const text = readFileSync(join(dist, `${program}.cjs`), "latin1");
    expect(text).toMatch(
      /^\(function \(exports, require, module, __filename, __dirname\) \{\s*"use strict";/,
    );
  },
);

test("[RL4] programs whose caches are missing, cut short, another V8's or another Node's do the same", () => {
  const event = { session_id: "s", cwd: folder, hook_event_name: "SessionStart" };
  const told = [dist, ...caches.map((kind) => copy(kind))].map((place) => {
    rmSync(join(folder, "home"), { recursive: true, force: true });
    return [
      run(place, ["--version"]),
      run(place, ["list", "--json"]),
      run(place, ["hook", "claude-code", "SessionStart"], { input: JSON.stringify(event) }),
      run(place, ["no-such-verb"]),
    ];
  });
  const [first] = told;
  expect(first).toMatchObject([{ status: 0 }, { status: 0 }, { status: 0 }, { status: 2 }]);
  expect(told).toEqual(told.map(() => first));
});

test("[RL5] install compiles for a Node that has not done it, once, and doctor tells where it is due", () => {
  const place = copy("another Node", "compiling");
  const home = join(folder, "installing");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const env = { HOME: home, TIDEMARK_HOME: join(home, "tidemark"), TIDEMARK_KEYCHAIN: "off" };
  const startOf = (): unknown => {
    const { checks } = JSON.parse(run(place, ["doctor", "--json"], { env }).stdout) as {
      readonly checks: readonly { readonly name: string; readonly status: string }[];
    };
    return checks.find(({ name }) => name === "start");
  };
  const install = (): string => run(place, ["install", "claude-code", "--yes"], { env }).stderr;
  const maker = join(place, "caches.cjs");
  expect(startOf()).toMatchObject({ status: "WARN", fix: `${process.execPath} ${maker}` });
  expect(install()).toContain(`Compiling for Node.js ${process.versions.node}`);
  expect(startOf()).toMatchObject({ status: "PASS" });
  expect(install()).toBe("");
  const watched = { NODE_OPTIONS: `--require=${watch}` };
  expect(run(place, ["--version"], { env: watched }).stderr).toBe("rejected: false\n");
  const hook = run(place, ["hook", "claude-code", "Stop"], { input: "{}", env: watched });
  expect(hook.stderr).toBe("rejected: false\n");
  expect(readdirSync(place).filter((name) => name.endsWith(".cache"))).toHaveLength(2);
});

test("[RL5] doctor and install run beside a cache that is damaged, tell of it and make it anew", () => {
  const place = copy("missing", "damaged");
  for (const program of programs) {
    const bytes = readFileSync(join(dist, cacheOf(program)));
    writeFileSync(join(place, cacheOf(program)), bytes.fill(0, bytes.length / 2));
  }
  const home = join(folder, "mending");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const env = { HOME: home, TIDEMARK_HOME: join(home, "tidemark"), TIDEMARK_KEYCHAIN: "off" };
  for (const options of [[], ["--json"]]) {
    const { stdout } = run(place, [...options, "doctor"], { env });
    expect(stdout).toContain(join(place, "caches.cjs"));
  }
  const installed = run(place, ["install", "claude-code", "--yes"], { env });
  expect(installed).toMatchObject({ status: 0 });
  expect(installed.stderr).toContain("Compiling for Node.js");
  expect(run(place, ["list"], { env })).toMatchObject({ status: 0 });
});

test("[RL5] where nothing can be compiled, install says why it may be, and installs all the same", () => {
  const place = copy("missing", "refusing");
  writeFileSync(join(place, "caches.cjs"), "process.exit(1);");
  const home = join(folder, "refused");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const env = { HOME: home, TIDEMARK_HOME: join(home, "tidemark"), TIDEMARK_KEYCHAIN: "off" };
  const { status, stdout, stderr } = run(place, ["install", "claude-code", "--yes"], { env });
  expect(stderr).toContain(`To see why: ${process.execPath} ${join(place, "caches.cjs")}`);
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("installed"),
  });
});

/** The programs once more, without their caches or with ones that do not fit. */
function copy(kind: (typeof caches)[number], name: string = kind): string {
  const place = join(folder, name, "dist");
  cpSync(dist, place, { recursive: true });
  symlinkSync(join(dist, "../node_modules"), join(folder, name, "node_modules"));
  for (const program of programs) {
    const path = join(place, cacheOf(program));
    const bytes = readFileSync(path);
    const code = bytes.indexOf("\n", bytes.indexOf("\n") + 1) + 1;
    // V8 writes its version's hash behind its first four bytes.
    if (kind === "another V8") writeFileSync(path, bytes.fill(0xff, code + 4, code + 8));
    if (kind === "another Node") {
      bytes.write("7", bytes.indexOf('"node":"') + '"node":"'.length);
      // V8 takes such a cache and ends the process.
      writeFileSync(path, bytes.fill(0, bytes.length / 2));
    }
    if (kind === "cut short") writeFileSync(path, bytes.subarray(0, bytes.length / 2));
    if (kind === "missing") rmSync(path);
  }
  return place;
}
