import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** An agent that tests start as a person would. */
export type AgentName = "claude-code" | "codex" | "gemini-cli" | "opencode" | "cline";

const programs: Readonly<Record<AgentName, string>> = {
  "claude-code": "claude",
  codex: "codex",
  "gemini-cli": "gemini",
  opencode: "opencode",
  cline: "cline",
};

const folder =
  process.env["TIDEMARK_TEST_AGENTS"] ?? join(homedir(), ".cache", "tidemark-test-agents");

/** Longest run of one prompt, in milliseconds. */
const runMsMax = 90_000;

function programOf(name: AgentName): string {
  return join(folder, name, "node_modules", ".bin", programs[name]);
}

/**
 * Why tests with this agent are skipped, or undefined where they run. Said on stderr, so that nobody
 * takes a run without them for one with them.
 */
export function whyNoAgent(name: AgentName): string | undefined {
  if (existsSync(programOf(name))) return undefined;
  const reason = `${name} is not installed: scripts/install-agents.sh`;
  process.stderr.write(`skipped: tests with ${name}: ${reason}\n`);
  return reason;
}

/** Runs an agent once, without a terminal and with nothing of this machine's environment. */
export async function runAgent(
  name: AgentName,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(programOf(name), args, {
    cwd: place.cwd,
    env: { PATH: process.env["PATH"] ?? "", ...place.env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: runMsMax,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, output };
}

/**
 * Ends what agents left running in a home, such as the hub of Cline's, which outlives the command
 * that began it. Where the system does not tell whose a process is (all but Linux), it runs on.
 */
export function endLeftovers(home: string): void {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended meanwhile, or is another user's.
    }
  }
}
