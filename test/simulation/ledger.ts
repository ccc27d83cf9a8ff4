import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { faultKinds } from "./faults.ts";
import type { Tally } from "./tally.ts";

const path = join(import.meta.dirname, "../../docs/reliability/ledger.csv");
const counted = faultKinds.filter((kind) => !kind.endsWith("Backup"));
const columns = [
  "commit",
  "first_seed",
  "seeds",
  "failures",
  "distinct_crash_points",
  "crashes",
  "heals",
  ...counted,
];

/** Appends what was run to the public ledger; the claim is made of these rows. */
export function appendLedger(tally: Tally, firstSeed: number): void {
  const crashes = Object.values(tally.crashPoints).reduce((sum, count) => sum + count, 0);
  const row = [
    commit(),
    firstSeed,
    tally.seeds,
    tally.failures.length,
    Object.keys(tally.crashPoints).length,
    crashes,
    tally.heals,
    ...counted.map((kind) => tally.struck[kind] ?? 0),
  ];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withRow(existsSync(path) ? readFileSync(path, "utf8") : "", row.map(String)));
}

/**
 * A ledger with one more row. A kind of fault that is new since the last one has a column of zeros in
 * the rows above: it did not exist when they were run.
 */
export function withRow(ledger: string, row: readonly string[]): string {
  const [head = "", ...rows] = ledger.split("\n").filter((line) => line !== "");
  const known = head.split(",");
  const brought = rows.map((line) => {
    const cells = line.split(",");
    return columns.map((column) => cells[known.indexOf(column)] ?? "0").join(",");
  });
  return `${[columns.join(","), ...brought, row.join(",")].join("\n")}\n`;
}

function commit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { encoding: "utf8" }).trim();
  const isClean = git("status", "--porcelain", "--", "apps", "packages", "test/simulation") === "";
  return `${git("rev-parse", "--short=12", "HEAD")}${isClean ? "" : "+"}`;
}
