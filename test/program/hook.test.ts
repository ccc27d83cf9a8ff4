import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canaries } from "../../apps/client/src/memory/testing/canaries.ts";
import { openDatabase, type Database } from "../../apps/client/src/store/sqlite.ts";

const program = fileURLToPath(new URL("../../apps/client/dist/main.js", import.meta.url));
let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tidemark-hook-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const quiet: Outcome = { status: 0, stdout: "", stderr: "" };

function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, TIDEMARK_HOME: home, ...more };
}

function hook(
  input: string | Buffer,
  args: readonly string[] = ["claude-code", "PostToolUse"],
  more: Readonly<Record<string, string>> = {},
): Outcome {
  const options = { input, env: environment(more), encoding: "utf8", cwd: tmpdir() } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "hook", ...args],
    options,
  );
  return { status, stdout, stderr };
}

function payload(id: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    session_id: "5b0c8f0e-2f0a-4a58-9d9c-1f6f0f6f0f6f",
    cwd: "/home/dev/app",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: `git commit -m 'Change ${id}'` },
    tool_response: { stdout: `[main 1a2b3c4] Change ${id}`, stderr: "" },
    ...more,
  });
}

function database(): Database {
  return openDatabase({ path: join(home, "tidemark.db"), busyTimeoutMs: 1_000 });
}

function titles(): readonly string[] {
  const db = database();
  try {
    const rows = db.all<{ payload: string }>("SELECT payload FROM agent_events ORDER BY id");
    return rows.map((row) => /Change (\w+)/u.exec(row.payload)?.[1] ?? "");
  } finally {
    db.close();
  }
}

/** Lines that wait, in the spool and in what a process took out of it and had no time to finish. */
function spooled(): number {
  const files = readdirSync(home).filter((name) => name.startsWith("spool.jsonl"));
  return files.flatMap((name) => linesOf(join(home, name))).length;
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

test("[HK1] a capture is silent, and everything it leaves is the owner's alone", () => {
  expect(hook(payload("one"))).toEqual(quiet);
  expect(titles()).toEqual(["one"]);
  const loose = filesBelow(home).filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(loose).toEqual([]);
});

test.each([
  ["no input", ""],
  ["NUL", Buffer.from([0, 0, 0])],
  ["half of a JSON text", '{"session_id":'],
  ["invalid UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ["deep nesting", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ["deep nesting in a tool's input", payload("deep").replace('"git', `${"[".repeat(3000)}"git`)],
  ["a polluting key", payload("x").replace("{", '{"__proto__":{"a":1},"constructor":2,')],
] as const)("[HK1] %s ends in exit 0 without a word", (_, input) => {
  expect(hook(input)).toEqual(quiet);
});

test("[HK1] an unknown agent or event, or none at all, ends in exit 0 without a word", () => {
  expect(hook("{}", ["nobody", "PostToolUse"])).toEqual(quiet);
  expect(hook("{}", ["claude-code", "Nope"])).toEqual(quiet);
  expect(hook("{}", [])).toEqual(quiet);
  const skips = readFileSync(join(home, "skips.jsonl"), "utf8").trim().split("\n");
  expect(skips.map((line) => (JSON.parse(line) as { reason: string }).reason)).toEqual([
    "unknown agent",
    "unknown event",
    "unknown agent",
  ]);
});

test("[HK3] more than 50 MB are read to the end and thrown away", () => {
  const line = payload("big", { pad: "x".repeat(51 * 1024 * 1024) });
  expect(hook(line)).toEqual(quiet);
  expect(readFileSync(join(home, "skips.jsonl"), "utf8")).toContain('"too large"');
});

test("[HK4] nothing is captured when capture is off, or for the summariser's own session", () => {
  expect(hook(payload("one"), undefined, { TIDEMARK_CAPTURE: "off" })).toEqual(quiet);
  expect(hook(payload("two"), undefined, { TIDEMARK_IN_SUMMARISER: "1" })).toEqual(quiet);
  expect(readdirSync(home)).toEqual([]);
});

test("[CP52] a project without a remote has the same name before and after pairing", () => {
  expect(hook(payload("one"))).toEqual(quiet);
  const id = (letter: string): string => letter.repeat(26);
  const identity = {
    device: { id: id("1"), name: "laptop" },
    user: { id: id("2"), name: "Ada" },
    server: { id: id("3"), url: "http://127.0.0.1:9" },
  };
  const options = { mode: 0o600 } as const;
  writeFileSync(join(home, "device.json"), JSON.stringify(identity), options);
  expect(hook(payload("two"))).toEqual(quiet);
  expect(titles()).toEqual(["one", "two"]);
  const bytes = filesBelow(home).map((path) => readFileSync(path, "latin1"));
  const names = bytes.join("\n").match(/path:[0-9a-z]{13}:\/home\/dev\/app/gu) ?? [];
  expect(names.length).toBeGreaterThan(1);
  expect([...new Set(names)]).toHaveLength(1);
});

test("[HK20, HK80] a locked database sends the event to the spool; the next hook takes it out, before its own", () => {
  expect(hook(payload("one"))).toEqual(quiet);
  const db = database();
  db.exec("BEGIN IMMEDIATE");
  expect(hook(payload("two"))).toEqual(quiet);
  db.exec("ROLLBACK");
  db.close();
  expect(spooled()).toBe(1);
  expect(hook(payload("three"))).toEqual(quiet);
  expect(titles()).toEqual(["one", "two", "three"]);
  expect(spooled()).toBe(0);
});

test.each([
  ["damaged", (path: string): void => writeFileSync(path, "not a database".repeat(500))],
  [
    "newer",
    (): void => {
      const db = database();
      db.pragma("user_version = 9999");
      db.close();
    },
  ],
] as const)("[HK20] a %s database sends the event to the spool and stays as it is", (_, spoil) => {
  expect(hook(payload("one"))).toEqual(quiet);
  for (const side of ["-wal", "-shm"]) rmSync(join(home, `tidemark.db${side}`), { force: true });
  const path = join(home, "tidemark.db");
  spoil(path);
  const before = readFileSync(path);
  expect(hook(payload("two"))).toEqual(quiet);
  expect(spooled()).toBe(1);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("[HK20] a home that cannot be used ends in exit 0 without a word", () => {
  writeFileSync(join(home, "file"), "");
  const below = { TIDEMARK_HOME: join(home, "file", "below") };
  expect(hook(payload("one"), undefined, below)).toEqual(quiet);
  chmodSync(home, 0o777);
  expect(hook(payload("one"))).toEqual(quiet);
  expect(readdirSync(home)).toEqual(["file"]);
});

test("[HK22] hooks alone keep the write-ahead log short", () => {
  const ids = Array.from({ length: 45 }, (_, index) => `n${index}`);
  const sizes = ids.map((id) => {
    expect(hook(payload(id))).toEqual(quiet);
    return statSync(join(home, "tidemark.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  });
  expect(Math.max(...sizes.slice(1))).toBeLessThan(400_000);
  expect(titles()).toEqual(ids);
});

test("[SC53] no secret in any byte of the home, whatever happens to the database", () => {
  const inputs = canaries.flatMap((secret) => [
    payload("a", { tool_response: { stdout: `key: ${secret}` } }),
    payload(secret, { tool_input: { command: `echo ${secret}`, [secret]: [secret] } }),
    payload("c", { session_id: secret, cwd: `/home/${secret}`, permission_mode: secret }),
    `{"session_id":"${secret}",`,
  ]);
  for (const input of inputs) expect(hook(input)).toEqual(quiet);
  // A write-ahead log that holds all there is would mend the database.
  for (const side of ["-wal", "-shm"]) rmSync(join(home, `tidemark.db${side}`), { force: true });
  writeFileSync(join(home, "tidemark.db"), "damaged".repeat(1000));
  for (const input of inputs) expect(hook(input)).toEqual(quiet);
  expect(spooled()).toBeGreaterThan(0);
  const bytes = filesBelow(home).map((path) => readFileSync(path, "latin1"));
  const found = canaries.filter((secret) => bytes.some((text) => text.includes(secret)));
  expect(found).toEqual([]);
});

test("[HK6] hooks that run at once lose nothing", async () => {
  const names = Array.from({ length: 24 }, (_, index) => `n${index}`);
  const exits = names.map(async (name) => {
    const args = [program, "hook", "claude-code", "PostToolUse"];
    const child = spawn(process.execPath, args, {
      env: environment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end(payload(name));
    const [code] = (await once(child, "exit")) as [number];
    return code;
  });
  expect(new Set(await Promise.all(exits))).toEqual(new Set([0]));
  expect(hook(payload("last"))).toEqual(quiet);
  // A hook drains for a fifth of a second; on a machine that has no time that may not be enough.
  for (let round = 0; round < 20 && spooled() > 0; round += 1) {
    spawnSync(process.execPath, [program, "status"], { env: environment(), cwd: tmpdir() });
  }
  expect(titles().toSorted()).toEqual([...names, "last"].toSorted());
});
