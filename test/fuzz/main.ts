/**
 * Fuzzes the scrubber: `npm run fuzz -- [--seconds 60] [--target texts] [--seed 1]`. Each target is
 * tried for that long with inputs that nobody wrote; a failing one is shrunk and told with the seed
 * and the path that give it again: `npm run fuzz -- --target texts --seed 1 --path 17:0:2`. Exit
 * code 1 where a promise broke.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { targets, type Target } from "./targets.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    target: { type: "string" },
    path: { type: "string" },
  },
});

const chosen = targets.filter(({ name }) => values.target === undefined || name === values.target);
const seconds = Number(values.seconds);
const seed = Number(values.seed);
if (chosen.length === 0 || !Number.isFinite(seconds) || !Number.isSafeInteger(seed)) {
  say(`targets: ${targets.map(({ name }) => name).join(", ")}; --seconds and --seed are numbers`);
  process.exit(2);
}
for (const target of chosen) run(target);

function run({ name, rules, property }: Target): void {
  const path = values.path === undefined ? {} : { path: values.path };
  const result = fc.check(property, {
    seed,
    ...path,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1000,
  });
  if (!result.failed || (result.interrupted && result.counterexample === null)) {
    say(`${name} ${rules}: ${result.numRuns} inputs, every one held (seed ${seed})`);
    return;
  }
  process.exitCode = 1;
  say(`${name} ${rules} broke after ${result.numRuns} inputs and ${result.numShrinks} steps back`);
  say(String(result.errorInstance));
  say(JSON.stringify(result.counterexample));
  say(
    `see it again: npm run fuzz -- --target ${name} --seed ${seed} --path ${result.counterexamplePath ?? ""}`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
