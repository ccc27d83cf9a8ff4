/**
 * Measures what a hook costs: the built program on a payload of 1 KB and of 50 KB, beside the
 * least any Node program can cost (`node -e 0`), both in the same rounds, so that a busy machine
 * slows both. Prints medians and the ratio. Run `npm run build` first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const rounds = Number(process.argv[2] ?? 40);
const ratioMax = 1.6;
const program = fileURLToPath(new URL("../apps/client/dist/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const { NODE_EXTRA_CA_CERTS: _certs, NODE_OPTIONS: _options, ...env } = process.env;

interface Row {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: (round: number) => string;
  readonly ms: number[];
}

const hookArgs = [program, "hook", "claude-code", "PostToolUse"];
const rows: readonly Row[] = [
  { name: "node -e 0", args: ["-e", "0"], stdin: () => "", ms: [] },
  { name: "hook, 1 KB payload", args: hookArgs, stdin: (round) => payload(round, 1_024), ms: [] },
  { name: "hook, 50 KB payload", args: hookArgs, stdin: (round) => payload(round, 51_200), ms: [] },
];

try {
  for (let round = -3; round < rounds; round += 1) runRound(round);
  print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function runRound(round: number): void {
  for (const row of rows) {
    const ms = measure(row, round);
    // The first rounds make the database and fill the caches of the disk.
    if (round >= 0) row.ms.push(ms);
  }
}

function measure(row: Row, round: number): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, row.args, {
    input: row.stdin(round),
    // A home for each row: a hook reads what its session left, and that is the row's own.
    env: { ...env, TIDEMARK_HOME: join(folder, row.name.replaceAll(/\W+/g, "-")) },
    encoding: "utf8",
  });
  const ms = performance.now() - started;
  if (status !== 0 || stderr !== "") throw new Error(`${row.name}: exit ${status}: ${stderr}`);
  return ms;
}

function payload(round: number, bytes: number): string {
  const line = `PASS  src/module-${round}.test.ts (12 tests) 0.41 s\n`;
  const body = {
    session_id: "7d0c2f5e-1c5b-4e7e-9a42-0f6f2d1f9b11",
    transcript_path: "/home/u/.claude/projects/-home-u-app/7d0c2f5e.jsonl",
    cwd: "/home/u/app",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: `toolu_bench_${bytes}_${round}`,
    tool_input: { command: "npm test", description: "Run the tests" },
    tool_response: { stdout: "", stderr: "", interrupted: false, isImage: false },
    duration_ms: 812,
  };
  const room = bytes - JSON.stringify(body).length;
  const stdout = line.repeat(Math.ceil(room / line.length)).slice(0, room);
  return JSON.stringify({ ...body, tool_response: { ...body.tool_response, stdout } });
}

function print(): void {
  const floor = quantile(rows[0]?.ms ?? [], 0.5);
  console.log(`${rounds} rounds, interleaved; milliseconds`);
  console.log("| program | min | median | p95 | ratio of medians |");
  console.log("|---|--:|--:|--:|--:|");
  for (const { name, ms } of rows) {
    const cells = [0, 0.5, 0.95].map((at) => quantile(ms, at).toFixed(1));
    console.log(`| ${name} | ${cells.join(" | ")} | ${(quantile(ms, 0.5) / floor).toFixed(2)} |`);
  }
  const ratio = quantile(rows[1]?.ms ?? [], 0.5) / floor;
  console.log(`target for 1 KB: ${ratioMax}; ${ratio <= ratioMax ? "met" : "missed"}`);
}

function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? 0;
}
