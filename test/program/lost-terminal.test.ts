/** Programs whose terminal is closed under them, on a terminal that `script` makes. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientProgram } from "./client-process.ts";
import { serverProgram } from "./server-process.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-terminal-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const hasTerminals =
  process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** Runs a program on a terminal until it has said something, closes that, and gives the exit code. */
async function codeAfterClosing(program: readonly string[], said: RegExp): Promise<string> {
  const code = join(folder, "code");
  const words = program.map((word) => `'${word}'`).join(" ");
  // The system tells the shell alone, which passes it on, outlives it and says how the program ended.
  const line = `${words} & child=$!; trap 'kill -HUP $child' HUP; wait $child; wait $child; echo $? > '${code}.new'; mv '${code}.new' '${code}'`;
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, TERM: "xterm", SHELL: "/bin/sh" };
  const terminal = spawn("script", ["-qec", line, "/dev/null"], { env, cwd: folder });
  const ended = once(terminal, "exit");
  let output = "";
  terminal.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(() => said.test(output) || existsSync(code), { timeout: 60_000 });
  terminal.kill("SIGKILL");
  await ended;
  await vi.waitUntil(() => existsSync(code), { timeout: 60_000 });
  return readFileSync(code, "utf8").trim();
}

test.runIf(hasTerminals)(
  "[OPS111] a server whose terminal is closed ends well, and not by a crash",
  async () => {
    const args = ["serve", "--port", "0", "--data-dir", join(folder, "data")];
    const program = [process.execPath, serverProgram, ...args];
    expect(await codeAfterClosing(program, /Tidemark listens on/)).toBe("0");
  },
);

test.runIf(hasTerminals)(
  "[OPS111] a dashboard whose terminal is closed ends well, and not by a crash",
  async () => {
    const program = [process.execPath, clientProgram, "dashboard"];
    expect(await codeAfterClosing(program, /http:\/\/127\.0\.0\.1/)).toBe("0");
  },
);

test.runIf(hasTerminals).each(["client", "server"])(
  "[OPS111] a terminal that a program of the %s has let go of itself is no trouble at its end",
  async (app) => {
    const source = new URL(`../../apps/${app}/src/platform/lost-terminal.ts`, import.meta.url);
    const text = `import { closeSync } from "node:fs";
      import { letGoOfLostTerminal } from "${source.href}";
      letGoOfLostTerminal();
      closeSync(2);`;
    const tsx = import.meta.resolve("tsx");
    const program = [process.execPath, "--import", tsx, "--input-type=module", "-e", text];
    expect(await codeAfterClosing(program, /never said/)).toBe("0");
  },
);
