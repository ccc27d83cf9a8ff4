// Runs one scrubber over texts in a process of its own: what a peer does to globals, or how much
// memory it takes, is then of no matter to the others. Reads texts from a file, writes the answer
// to another: each text rewritten, each rewritten again, and its pace on rows of a mix.
import { readFileSync, writeFileSync } from "node:fs";

/** What peers' findings are replaced by. */
export const mark = "\u25A0\u25A0";

/** Rewrites a text by the stretches that a peer has found. */
export function replaceSpans(text, spans) {
  let out = "";
  let at = 0;
  for (const [start, end] of spans.toSorted(([left], [right]) => left - right)) {
    if (end <= at) continue;
    if (start >= at) out += text.slice(at, start) + mark;
    at = Math.max(at, end);
  }
  return out + text.slice(at);
}

/** Rewrites a text by the values that a peer has found, wherever they stand. */
export function replaceValues(text, values) {
  const longestFirst = [...new Set(values)].toSorted((left, right) => right.length - left.length);
  return longestFirst.reduce((out, value) => out.replaceAll(value, mark), text);
}

/** Answers for a peer's rewriting. */
export async function answer(rewrite) {
  const [inputFile, outputFile] = process.argv.slice(2);
  const { texts, rows } = JSON.parse(readFileSync(inputFile, "utf8"));
  const outputs = [];
  for (const text of texts) outputs.push(await rewrite(text));
  const again = [];
  for (const text of outputs) again.push(await rewrite(text));
  const before = process.cpuUsage();
  for (const row of rows) await rewrite(row);
  const { user, system } = process.cpuUsage(before);
  writeFileSync(outputFile, JSON.stringify({ outputs, again, cpuSeconds: (user + system) / 1e6 }));
}
