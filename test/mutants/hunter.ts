import { fork } from "node:child_process";
import { join } from "node:path";
import type { Sighting } from "./hunt.ts";

/** What came of a hunt. */
export interface Catch {
  /** The rule that broke, or `hung` or `ended` where the run did. Undefined: nothing was noticed. */
  readonly rule: string | undefined;
  readonly what: string;
  /** The run that noticed, such as `seed 7`, or the last one. */
  readonly run: string;
  readonly ms: number;
}

/** How long one seed may take before the run counts as hung. */
const silenceMsMax = 60_000;
/** Time to clean up after being told to stop. */
const stopMs = 3_000;
const tsx = import.meta.resolve("tsx");

/** Lets a copy of the project play its kept runs and seeds until one notices something. */
export async function hunt(copy: string, seeds: number): Promise<Catch> {
  const started = Date.now();
  let run = "no run";
  let noticed: Sighting["failure"];
  const end = await play(copy, [String(seeds)], (sighting) => {
    ({ run } = sighting);
    noticed ??= sighting.failure;
  });
  const { rule, what } = noticed ?? end;
  return { rule, what, run, ms: Date.now() - started };
}

/** How many seeds notice a bug, and what that takes. */
export interface Count {
  readonly seeds: number;
  readonly noticed: number;
  readonly cpuMs: number;
}

/** Lets a copy of the project play all its seeds; one that never ends is the last, and counts. */
export async function count(copy: string, seeds: number): Promise<Count> {
  const counted = { seeds: 0, noticed: 0, cpuMs: 0 };
  const { rule } = await play(copy, [String(seeds), "count"], ({ failure, cpuMs }) => {
    counted.seeds += 1;
    counted.noticed += failure === undefined ? 0 : 1;
    counted.cpuMs += cpuMs;
  });
  if (rule === undefined) return counted;
  return { ...counted, seeds: counted.seeds + 1, noticed: counted.noticed + 1 };
}

/** How a copy's program came to its end. */
interface End {
  readonly rule: "hung" | "ended" | undefined;
  readonly what: string;
}

function play(
  copy: string,
  args: readonly string[],
  onSighting: (sighting: Sighting) => void,
): Promise<End> {
  const child = fork(join(copy, "test/mutants/hunt.ts"), args, {
    cwd: copy,
    execArgv: ["--conditions=source", "--import", tsx],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.on("data", (data: Buffer) => {
    stderr = (stderr + data.toString("utf8")).slice(-2_000);
  });
  return new Promise((resolve) => {
    const watchdog = setTimeout(() => {
      resolve({ rule: "hung", what: `no end within ${silenceMsMax / 1_000} s` });
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), stopMs).unref();
    }, silenceMsMax);
    child.on("message", (message) => {
      watchdog.refresh();
      onSighting(message as Sighting);
    });
    child.on("exit", (code) => {
      clearTimeout(watchdog);
      if (code === 0) resolve({ rule: undefined, what: "" });
      else resolve({ rule: "ended", what: stderr });
    });
  });
}
