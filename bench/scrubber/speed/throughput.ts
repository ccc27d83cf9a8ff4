import { quantile } from "../../measure/numbers.ts";
import type { Positive } from "../corpus/case.ts";
import type { Result } from "../measure/targets.ts";
import { drawMix, rowsOf } from "./mix.ts";

const mixChars = 20_000_000;
const hookChars = 50_000;
const rounds = 5;
const hookRounds = 30;
const hooksPerRound = 10;
/** The measure of pace that others are compared by. */
export const paceName = "mix, rows of 100 KB, 0.2 % of lines with secrets";
const plainPrefixes =
  "ghp_ gho_ ghs_ github_pat_ glpat- AKIA ASIA AIza ya29. sk-ant- sk-proj- sk-or- hf_ npm_ pypi- xoxb- xoxp- SG. hvs. dop_v1_ sk_live_ rk_live_ whsec_ eyJ -----BEGIN :// password secret token key auth".split(
    " ",
  );

/** Seconds of processor time that some work takes. */
export function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1e6;
}

/** Best of the rounds, in MB per CPU second. */
function speed(size: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, cpuSeconds(work));
  return size / 1e6 / best;
}

/**
 * Throughput on a mix of logs, code, JSON and lock files, beside the least that any scan costs,
 * and what one payload of a hook takes once all is warm.
 */
export function throughput(
  rewrite: (text: string) => string,
  cases: readonly Positive[],
): readonly Result[] {
  const benign = drawMix(mixChars, []);
  const mixed = drawMix(mixChars, cases);
  let sink = 0;
  const rate = (name: string, rows: readonly string[], target?: number): Result => {
    const size = rows.reduce((sum, row) => sum + row.length, 0);
    const value = speed(size, () => {
      for (const row of rows) sink += rewrite(row).length;
    });
    const about = { name, value, unit: "MB/CPU-s" };
    return target === undefined ? about : { ...about, target: { atLeast: target } };
  };
  const results = [
    limit("limit: one pass over the code units", benign, (text) => {
      for (let at = 0; at < text.length; at++) sink += text.charCodeAt(at);
    }),
    limit(`limit: indexOf of ${plainPrefixes.length} plain prefixes`, benign, (text) => {
      for (const prefix of plainPrefixes) {
        for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) sink++;
      }
    }),
    rate(paceName, rowsOf(mixed, 100_000), 100),
    rate("mix, rows of 100 KB, no secrets", rowsOf(benign, 100_000)),
    rate("mix, rows of 2 KB, no secrets", rowsOf(benign, 2_000)),
    ...hookTimes(rewrite, rowsOf(mixed.slice(0, 12 * hookChars), hookChars).slice(0, 10)),
  ];
  if (sink === 0) throw new Error("nothing was scanned");
  return results;
}

function limit(name: string, text: string, work: (text: string) => void): Result {
  return { name, unit: "MB/CPU-s", value: speed(text.length, () => work(text)) };
}

function hookTimes(
  rewrite: (text: string) => string,
  payloads: readonly string[],
): readonly Result[] {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < hookRounds; round++) {
    const spent = cpuSeconds(() => {
      for (let turn = 0; turn < hooksPerRound; turn++) {
        const start = performance.now();
        rewrite(payloads[turn % payloads.length] ?? "");
        wall.push(performance.now() - start);
      }
    });
    cpu.push((1000 * spent) / hooksPerRound);
  }
  return [
    { name: "50 KB with secrets, warm, CPU, median", value: quantile(cpu, 0.5), unit: "ms", target: { atMost: 1 } }, // prettier-ignore
    { name: "50 KB with secrets, warm, wall, median", value: quantile(wall, 0.5), unit: "ms" },
    { name: "50 KB with secrets, warm, wall, p95", value: quantile(wall, 0.95), unit: "ms" },
  ];
}
