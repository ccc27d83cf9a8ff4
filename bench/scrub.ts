/**
 * Measures the scrubber: MB per CPU second on a mixed corpus beside the least any scan of the
 * text can cost (one pass over its code units, and one `indexOf` per prefix), the latency of a
 * hook-sized text, and what loading and building the rules cost in a fresh process.
 */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { createScrubber, type Scrubber } from "../packages/scrubber/src/index.ts";

const corpusChars = 10_000_000;
const hookChars = 50_000;
const rounds = 5;
const plainPrefixes =
  "ghp_ gho_ ghs_ github_pat_ glpat- AKIA ASIA AIza ya29. sk-ant- sk-proj- sk-or- hf_ npm_ pypi- xoxb- xoxp- SG. hvs. dop_v1_ sk_live_ rk_live_ whsec_ eyJ -----BEGIN :// password secret token key auth".split(
    " ",
  );

const hmac = (message: string): Uint8Array =>
  createHmac("sha256", "bench").update(message).digest();

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function letters(next: () => number, count: number, alphabet: string): string {
  let out = "";
  for (let index = 0; index < count; index++) {
    out += alphabet[Math.floor(next() * alphabet.length)] ?? "";
  }
  return out;
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const hex = "0123456789abcdef";

type Line = (next: () => number, index: number) => string;

const logLine: Line = (next, index) =>
  `2026-03-0${1 + (index % 9)}T10:${10 + (index % 50)}:12.${100 + (index % 900)}Z INFO  [worker-${index % 16}] GET https://api.internal.example/v1/users/${letters(next, 8, hex)}?page=${index % 40} 200 ${Math.floor(next() * 900)}ms request_id=${letters(next, 32, hex)}`;
const codeLine: Line = (next, index) =>
  [
    `  const token${index % 7} = await readToken(session, options.key ?? defaultKey); // the token is kept`,
    `export function parseValue${index}(input: string, password: string): Result<Value, Fault> {`,
    `    if (keyboard.isPressed("Escape") && !this.secretName) return this.tokens[index + ${index % 9}];`,
    `  return { ...state, author: user.name, monkey: passthrough(state), maxTokens: ${index} };`,
  ][Math.floor(next() * 4)] ?? "";
const jsonLine: Line = (next, index) =>
  JSON.stringify({
    id: letters(next, 24, hex),
    type: "tool_result",
    max_tokens: index % 4096,
    content: `line ${index}: updated 3 files\n  "path": "/srv/app/src/module-${index % 90}.ts"\n`,
  });
const lockLine: Line = (next, index) =>
  `  "node_modules/package-${index % 500}": {"version": "${index % 9}.${index % 20}.1", "resolved": "https://registry.example/package-${index % 500}.tgz", "integrity": "sha512-${letters(next, 86, base64)}=="},`;
const secretLine: Line = (next) => `export API_TOKEN=${letters(next, 40, base64.slice(0, 62))}`;

function corpus(chars: number, hasSecrets: boolean): string {
  const next = random(7);
  const lines: string[] = [];
  for (let size = 0, index = 0; size < chars; index++) {
    const draw = next();
    const line =
      hasSecrets && draw > 0.998
        ? secretLine
        : draw < 0.4
          ? logLine
          : draw < 0.74
            ? codeLine
            : draw < 0.9
              ? jsonLine
              : lockLine;
    const text = line(next, index);
    lines.push(text);
    size += text.length + 1;
  }
  return lines.join("\n");
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const spent = process.cpuUsage(before);
  return (spent.user + spent.system) / 1e6;
}

/** Best of the rounds, in MB per CPU second. */
function speed(chars: number, work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, cpuSeconds(work));
  return chars / 1e6 / best;
}

function report(name: string, value: number, unit: string): void {
  process.stdout.write(
    `${name.padEnd(44)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}\n`,
  );
}

function rowsOf(text: string, chars: number): string[] {
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += chars) {
    // Flat copies: a slice of a big text would drag that text along.
    rows.push(Buffer.from(text.slice(at, at + chars)).toString());
  }
  return rows;
}

function measureSpeed(scrubber: Scrubber): void {
  const benign = corpus(corpusChars, false);
  const mixed = corpus(corpusChars, true);
  let sink = 0;
  const sum = (text: string): void => {
    for (let at = 0; at < text.length; at++) sink += text.charCodeAt(at);
  };
  const find = (text: string): void => {
    for (const prefix of plainPrefixes) {
      for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) sink++;
    }
  };
  const scrubAll = (rows: readonly string[]): void => {
    for (const row of rows) sink += scrubber.scrub(row).text.length;
  };
  const benignRows = rowsOf(benign, 100_000);
  const mixedRows = rowsOf(mixed, 100_000);
  const smallRows = rowsOf(benign, 2_000);
  report(
    "limit: one pass over the code units",
    speed(benign.length, () => sum(benign)),
    "MB/CPU-s",
  );
  report(
    `limit: indexOf of ${plainPrefixes.length} plain prefixes, no rules`,
    speed(benign.length, () => find(benign)),
    "MB/CPU-s",
  );
  report(
    "scrub, benign, rows of 100 KB",
    speed(benign.length, () => scrubAll(benignRows)),
    "MB/CPU-s",
  );
  report(
    "scrub, benign, rows of 2 KB",
    speed(benign.length, () => scrubAll(smallRows)),
    "MB/CPU-s",
  );
  report(
    "scrub, 0.2 % lines with a secret",
    speed(mixed.length, () => scrubAll(mixedRows)),
    "MB/CPU-s",
  );
  if (sink === 0) throw new Error("nothing was scanned");
}

function measureHook(scrubber: Scrubber): void {
  const text = rowsOf(corpus(hookChars * 2, true), hookChars)[0] ?? "";
  const times: number[] = [];
  for (let round = 0; round < 300; round++) {
    const start = performance.now();
    scrubber.scrub(text);
    times.push(performance.now() - start);
  }
  times.sort((left, right) => left - right);
  report("50 KB with secrets, warm, median", times[150] ?? 0, "ms");
  report("50 KB with secrets, warm, p95", times[285] ?? 0, "ms");
}

async function measureStart(): Promise<void> {
  const { catalogPlan } = await import(
    new URL("../scripts/catalog-plan.mjs", import.meta.url).href
  );
  const folder = mkdtempSync(join(tmpdir(), "scrub-bench-"));
  try {
    const bundle = join(folder, "scrubber.mjs");
    await build({
      entryPoints: [new URL("../packages/scrubber/src/index.ts", import.meta.url).pathname],
      outfile: bundle,
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      // As the programs are built: a process that scrubs one text plans nothing.
      plugins: [catalogPlan],
    });
    const probe = join(folder, "probe.mjs");
    writeFileSync(
      probe,
      `const start = performance.now();
       const { createScrubber } = await import("./scrubber.mjs");
       const loaded = performance.now();
       const scrubber = createScrubber({ hmac: () => new Uint8Array(32) });
       const built = performance.now();
       scrubber.scrub(${JSON.stringify(corpus(hookChars, true).slice(0, hookChars))});
       const scrubbed = performance.now();
       console.log([loaded - start, built - loaded, scrubbed - built].join(" "));`,
    );
    const runs = Array.from({ length: 9 }, () =>
      spawnSync(process.execPath, [probe], { encoding: "utf8" })
        .stdout.trim()
        .split(" ")
        .map(Number),
    );
    ["module load", "rules built", "first scrub of 50 KB"].forEach((name, column) => {
      const times = runs.map((each) => each[column] ?? 0).toSorted((left, right) => left - right);
      report(`fresh process: ${name}, median of 9`, times[4] ?? 0, "ms");
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const scrubber = createScrubber({ hmac });
measureSpeed(scrubber);
measureHook(scrubber);
await measureStart();
