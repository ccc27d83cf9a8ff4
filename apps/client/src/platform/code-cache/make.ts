import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachePath } from "./cache-file.ts";

/** The client's programs, and how what they start from is made: by doing what people do most. */
const kinds = {
  // The first process makes the home; what only that takes is not in the cache, which every hook
  // reads.
  hook: (self, program, cache, home) => {
    for (const run of ["first", "second"]) {
      const payloads = usualPayloads(home, run).map((payload) => JSON.stringify(payload));
      compile([self, "hook", program, cache], home, payloads.join("\n"));
    }
  },
  cli: (self, program, cache, home) => {
    for (const command of usualCommands) {
      compile([self, "command", program, cache, ...command], home);
    }
  },
} satisfies Record<string, (self: string, program: string, cache: string, home: string) => void>;

type Kind = keyof typeof kinds;

/**
 * Makes the caches of the programs in a folder for the Node that runs this, each in a home of its
 * own, and puts it in place when it is whole. Throws where that cannot be.
 *
 * @param self the program that runs this, which runs again as the one that compiles
 */
export function makeCaches(self: string, folder: string): void {
  for (const kind of Object.keys(kinds) as Kind[]) {
    const program = join(folder, `${kind}.cjs`);
    const path = cachePath(program, textHash(program));
    const fresh = `${path}.${process.pid}`;
    const home = mkdtempSync(join(tmpdir(), "tidemark-cache-"));
    try {
      kinds[kind](self, program, fresh, home);
      chmodSync(fresh, 0o644);
      toDisk(fresh);
      renameSync(fresh, path);
    } finally {
      rmSync(home, { recursive: true, force: true });
      rmSync(fresh, { force: true });
    }
  }
}

/** Until it is on the disk: a cache whose end is missing after a power cut ends who starts from it. */
function toDisk(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Names a program's text. */
export function textHash(program: string): string {
  return createHash("sha256").update(readFileSync(program)).digest("hex").slice(0, 16);
}

function compile(args: readonly string[], home: string, input = ""): void {
  const { PATH } = process.env;
  const { status, stderr, error } = spawnSync(process.execPath, args, {
    input,
    cwd: home,
    env: { PATH, HOME: home, TIDEMARK_HOME: home, TIDEMARK_KEYCHAIN: "off" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`nothing was compiled: ${error?.message ?? stderr.trim()}`);
}

function usualPayloads(cwd: string, run: string): readonly object[] {
  const ran = (id: number): object => ({
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

const usualCommands: readonly (readonly string[])[] = [
  ["save", "--title", "Tests want TZ=UTC", "--kind", "convention"],
  ["search", "tests"],
  ["list"],
  ["context"],
  ["status"],
];
