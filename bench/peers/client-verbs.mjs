/**
 * How the client half of a peer runs: `node client.mjs VERB JSON`. A verb that is measured answers
 * with what its work took, without the start of Node and the loading of modules.
 */
import { readFileSync } from "node:fs";

/** Runs the verb that the arguments name and prints its answer as one line of JSON. */
export async function runVerbs(verbs) {
  const [verb, text] = process.argv.slice(2);
  const answer = await verbs[verb](JSON.parse(text));
  // A connection that is kept open must not hold up the end: that wait is not the peer's work.
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`, () => process.exit(0));
}

/** Wall and processor seconds of `work` in this process. */
export async function measured(work) {
  const cpuBefore = process.cpuUsage();
  const started = process.hrtime.bigint();
  await work();
  const wall = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall, cpu: (user + system) / 1e6 };
}

/** The observations of a file with one `{ id, fields }` a line. */
export function readRows(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
