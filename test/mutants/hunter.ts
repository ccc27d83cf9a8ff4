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
export function hunt(copy: string, seeds: number): Promise<Catch> {
  const started = Date.now();
  const child = fork(join(copy, "test/mutants/hunt.ts"), [String(seeds)], {
    cwd: copy,
    execArgv: ["--conditions=source", "--import", tsx],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.on("data", (data: Buffer) => {
    stderr = (stderr + data.toString("utf8")).slice(-2_000);
  });
  return new Promise((resolve) => {
    let run = "no run";
    let isOver = false;
    const end = (rule: string | undefined, what: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(watchdog);
      resolve({ rule, what, run, ms: Date.now() - started });
    };
    const watchdog = setTimeout(() => {
      end("hung", `no end within ${silenceMsMax / 1_000} s`);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), stopMs).unref();
    }, silenceMsMax);
    child.on("message", (message) => {
      const sighting = message as Sighting;
      run = sighting.run;
      watchdog.refresh();
      if (sighting.failure !== undefined) end(sighting.failure.rule, sighting.failure.what);
    });
    child.on("exit", (code) => {
      if (code === 0) end(undefined, "");
      else end("ended", stderr);
    });
  });
}
