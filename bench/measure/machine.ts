import { readFileSync, statfsSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";

/** The machine that a figure was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** Free bytes are of no interest; the type of the file system decides what an fsync costs. */
  readonly temporaryFolder: string;
  readonly loadBefore: readonly number[];
}

/** Describes this machine, and how busy it was before anything was measured. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    temporaryFolder: `${tmpdir()} (${fileSystemOf(tmpdir())})`,
    loadBefore: load(),
  };
}

/** How many processes wanted to run on average, over 1, 5 and 15 minutes. */
export function load(): readonly number[] {
  return loadavg().map((each) => Math.round(each * 100) / 100);
}

/** A line or two for people. */
export function machineText(machine: Machine): string {
  const { cpu, cores, memoryGb, kernel, node, temporaryFolder, loadBefore } = machine;
  return (
    `${cores} × ${cpu}, ${memoryGb} GB, Linux ${kernel}, Node ${node}, ${temporaryFolder}; ` +
    `load average before ${loadBefore.join(" ")}, after ${load().join(" ")}`
  );
}

function fileSystemOf(folder: string): string {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, at = ""]) => folder === at || folder.startsWith(at.endsWith("/") ? at : `${at}/`))
    .toSorted(([, left = ""], [, right = ""]) => right.length - left.length);
  return mounts[0]?.[2] ?? String(statfsSync(folder).type);
}
