/** Makes the code caches of the client's programs, by running them with what people do most. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const hookRunner = new URL("run-hook.cjs", import.meta.url);
const commandRunner = new URL("run-command.cjs", import.meta.url);

/**
 * Keeps what V8 has compiled of the hook after the payloads that agents send most; gives the cache's
 * name. The first process makes the home; what only that takes is not in the cache, which every hook
 * reads.
 */
export function cacheHook(program) {
  return makeCache("hook", program, (cache, home) => {
    for (const run of ["first", "second"]) {
      const payloads = usualPayloads(home, run).map((payload) => JSON.stringify(payload));
      compile(hookRunner, [program, cache], { home, input: payloads.join("\n") });
    }
  });
}

/** Keeps what V8 has compiled of the command line after the commands of every day. */
export function cacheCommands(program) {
  return makeCache("cli", program, (cache, home) => {
    for (const command of usualCommands) {
      compile(commandRunner, [program, cache, ...command], { home });
    }
  });
}

/** Has a cache made in a home of its own, and puts it in place when it is whole. */
function makeCache(kind, program, make) {
  const hash = createHash("sha256").update(readFileSync(program)).digest("hex").slice(0, 16);
  const name = `${kind}-${hash}.cache`;
  const path = join(dirname(program), name);
  const fresh = `${path}.${process.pid}`;
  const home = mkdtempSync(join(tmpdir(), "tidemark-build-"));
  try {
    make(fresh, home);
    chmodSync(fresh, 0o644);
    renameSync(fresh, path);
    return name;
  } finally {
    rmSync(home, { recursive: true, force: true });
    rmSync(fresh, { force: true });
  }
}

function compile(runner, args, { home, input = "" }) {
  const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(runner), ...args], {
    input,
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the code cache cannot be made: ${stderr}`);
}

function usualPayloads(cwd, run) {
  const ran = (id) => ({
    session_id: "00000000-0000-4000-8000-000000000000",
    cwd,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `toolu_build_${run}_${id}`,
    tool_input: { command: "npm test", description: "Run the tests" },
    tool_response: { stdout: "PASS src/a.test.ts\n12 passed, API_KEY=example", stderr: "" },
  });
  return [ran(1), ran(2), ran(3)];
}

const usualCommands = [
  ["save", "--title", "Tests want TZ=UTC", "--kind", "convention"],
  ["search", "tests"],
  ["list"],
  ["context"],
  ["status"],
];
