// What an exchange costs a process that has done one before, as a daemon has: programs that start
// pay for the compilation of all they run, and no start of a program can be taken off that.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundle } from "../../scripts/bundle.ts";
import { measured, type ExchangeCost } from "./exchange-cost.ts";
import { exportText, generateObservations } from "./observations.ts";
import { nodeArgs, tidemark, type ProgramCost, type RunningServer } from "./programs.ts";

const source = fileURLToPath(new URL("engine.ts", import.meta.url));

/** What a process pays that has pulled, or pushed, as much before. */
export interface WarmFigures {
  readonly pull: ExchangeCost;
  /** The sender's whole sync. */
  readonly push: ExchangeCost;
}

/** Two homes that are paired, and empty but for what was there before the records to measure. */
export interface WarmHomes {
  readonly first: string;
  readonly second: string;
}

/** Pulls into two homes and pushes twice from one; the second of each is what is measured. */
export async function measureWarm(
  server: RunningServer,
  { first, second }: WarmHomes,
  count: number,
): Promise<WarmFigures> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  try {
    const program = join(folder, "engine.mjs");
    await bundle(source, program);
    const puller = startEngine(program);
    await puller.sync(first);
    const pull = await measured(server, () => puller.sync(second));
    await puller.stop();
    const pusher = startEngine(program);
    importRows(first, "before", count);
    await pusher.sync(first);
    importRows(first, "again", count);
    const push = await measured(server, () => pusher.sync(first));
    await pusher.stop();
    return { pull: pull.cost, push: push.cost };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function importRows(home: string, name: string, count: number): void {
  const file = join(home, `${name}.ndjson`);
  const rows = generateObservations(count, name.length).map(({ fields }, index) => ({
    id: `${name}${String(index).padStart(8, "0")}`,
    fields,
  }));
  writeFileSync(file, exportText(rows));
  tidemark(home, ["import", file, "--json"]);
}

interface Engine {
  /** One full push and pull of a home. */
  sync(home: string): Promise<ProgramCost>;
  stop(): Promise<void>;
}

function startEngine(program: string): Engine {
  const child = spawn(process.execPath, [...nodeArgs("warm"), program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    sync: async (home) => {
      child.stdin.write(`${home}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error(`the engine ended while it synced ${home}`);
      return JSON.parse(answer.value) as ProgramCost;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
