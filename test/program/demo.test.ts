import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const demo = fileURLToPath(new URL("../../scripts/demo/main.mjs", import.meta.url));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "demo-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the demo in a temporary folder of its own; `onText` sees what it has printed so far. */
function runDemo(onText?: (stdout: string, pid: number) => void): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [demo], {
      env: { ...process.env, TMPDIR: folder, NO_COLOR: "1" },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (child.pid !== undefined) onText?.(stdout, child.pid);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

/** The server of the demo that runs in our folder: it says so itself in its lock's file name. */
function serverPid(): number {
  const stage = readdirSync(folder).find((name) => name.startsWith("tidemark-demo-")) ?? "";
  const [claim = ""] = readdirSync(join(folder, stage, "server", "lock"));
  return Number(claim.split(".")[0]);
}

/** Processes that were started for something in our folder. */
function leftovers(): readonly string[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${folder}/tidemark-demo-`);
    } catch {
      return false;
    }
  });
}

test("[OPS60] the demo keeps every promise, says so, and leaves nothing behind", async () => {
  const { code, stdout, stderr } = await runDemo();
  expect(stderr).toBe("");
  expect(code).toBe(0);
  for (const title of [
    "A server starts",
    "Three devices pair by one-time links",
    "A recorded agent session runs through the hooks of laptop-a",
    "What laptop-a learned is found on laptop-b",
    "The network is gone; both laptops edit the same observation",
    "Back online: the laptops agree, and nothing is lost",
    "The team-mate sees what is harbour's, and only that",
    "The planted secrets are nowhere",
  ]) {
    expect(stdout).toContain(`✓ ${title}`);
  }
  expect(stdout).toContain("Every claim held");
  expect(readdirSync(folder)).toEqual([]);
  expect(leftovers()).toEqual([]);
});

test("[OPS61] a server that dies fails the demo with the claim that broke, and it cleans up", async () => {
  let killed = 0;
  const { code, stdout, stderr } = await runDemo((text) => {
    if (killed !== 0 || !text.includes("✓ Three devices pair")) return;
    killed = serverPid();
    process.kill(killed, "SIGKILL");
  });
  expect(killed).toBeGreaterThan(0);
  expect(code).toBe(1);
  expect(stdout).toContain("✗ What laptop-a learned is found on laptop-b");
  expect(stdout).not.toContain("Every claim held");
  expect(stderr).toContain("error: not true: laptop-a: a sync leaves nothing to do");
  expect(readdirSync(folder)).toEqual([]);
  expect(leftovers()).toEqual([]);
});

test("[OPS61] a demo that is asked to stop leaves nothing behind", async () => {
  let isAsked = false;
  const { code, stdout } = await runDemo((text, pid) => {
    if (isAsked || !text.includes("✓ A server starts")) return;
    isAsked = true;
    process.kill(pid, "SIGINT");
  });
  expect(code).toBe(130);
  expect(stdout).not.toContain("Every claim held");
  expect(readdirSync(folder)).toEqual([]);
  expect(leftovers()).toEqual([]);
});
