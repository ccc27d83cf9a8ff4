import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Positive } from "../corpus/case.ts";
import { median } from "../../measure/numbers.ts";
import type { Result } from "../measure/targets.ts";
import { drawMix } from "./mix.ts";

const starts = 11;

/** What loading, building and a first scrub cost a fresh process, bundled as the programs are. */
export async function startCosts(cases: readonly Positive[]): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "scrubber-bench-"));
  try {
    await bundle(join(folder, "scrubber.mjs"));
    const probe = join(folder, "probe.mjs");
    writeFileSync(join(folder, "payload.json"), JSON.stringify(drawMix(50_000, cases)));
    writeFileSync(probe, probeText);
    const runs = Array.from({ length: starts }, () => runProbe(probe));
    const column = (index: number): number => median(runs.map((run) => run[index] ?? 0));
    return [
      { name: "fresh process: module load, median", value: column(0), unit: "ms", target: { atMost: 15 } }, // prettier-ignore
      { name: "fresh process: rules ready, median", value: column(1), unit: "ms" },
      { name: "fresh process: first scrub of 50 KB, median", value: column(2), unit: "ms" },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const probeText = `
import { readFileSync } from "node:fs";
const payload = JSON.parse(readFileSync(new URL("payload.json", import.meta.url), "utf8"));
const start = performance.now();
const { createScrubber } = await import("./scrubber.mjs");
const loaded = performance.now();
const scrubber = createScrubber({ hmac: () => new Uint8Array(32) });
const built = performance.now();
scrubber.scrub(payload);
const scrubbed = performance.now();
console.log([loaded - start, built - loaded, scrubbed - built].join(" "));
`;

function runProbe(probe: string): readonly number[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [probe], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the probe failed: ${stderr}`);
  return stdout.trim().split(" ").map(Number);
}

async function bundle(outfile: string): Promise<void> {
  const plans = (await import(
    new URL("../../../scripts/packed-catalog.mjs", import.meta.url).href
  )) as { readonly packedCatalog: Plugin };
  await build({
    entryPoints: [new URL("../../../packages/scrubber/src/index.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    // As the programs are built: a process that scrubs one text plans nothing.
    plugins: [plans.packedCatalog],
  });
}
