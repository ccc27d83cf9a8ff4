import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createScrubStream } from "../../../packages/scrubber/src/index.ts";
import type { Positive } from "../corpus/case.ts";
import { benchScrubber } from "../measure/subject.ts";
import { drawMix, rowsOf } from "./mix.ts";
import { cpuSeconds } from "./throughput.ts";

const mixChars = 20_000_000;
const chunkChars = 65_536;
const sampleChars = 100_000_000;
const streamChars = 1_000_000_000;

/**
 * What a stream of a gigabyte keeps in memory, beyond what was there before: after each tenth
 * everything is collected that nothing holds on to, so that growth cannot hide behind the collector.
 */
export function streamMemory(
  cases: readonly Positive[],
  charsMax: number = streamChars,
): { readonly text: string; readonly heldBytes: readonly number[] } {
  const rows = rowsOf(drawMix(mixChars, cases), chunkChars);
  const collect = collector();
  const scrubber = benchScrubber();
  // The rules and what they are compiled to belong to no stream.
  for (const row of rows) scrubber.scrub(row);
  const before = liveBytes(collect);
  let findings = 0;
  let written = 0;
  const stream = createScrubStream(scrubber, { onFinding: () => void (findings += 1) });
  const heldBytes: number[] = [];
  const seconds = cpuSeconds(() => {
    for (let read = 0; read < charsMax;) {
      for (const row of rows) {
        written += stream.write(row).length;
        read += row.length;
      }
      if (read >= (heldBytes.length + 1) * Math.min(sampleChars, charsMax / 4)) {
        heldBytes.push(liveBytes(collect) - before);
      }
    }
    written += stream.end().length;
  });
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);
  const text =
    `memory of a stream of ${(charsMax / 1e9).toFixed(1)} GB with ${findings} findings: ` +
    `${mb(heldBytes[0] ?? 0)} MB after the first sample, at most ${mb(Math.max(...heldBytes))} MB, ` +
    `${mb(heldBytes.at(-1) ?? 0)} MB at the end; ${(written / 1e6 / seconds).toFixed(0)} MB/CPU-s`;
  return { text, heldBytes };
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

function liveBytes(collect: () => void): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
