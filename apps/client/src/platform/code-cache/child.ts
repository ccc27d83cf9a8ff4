/**
 * Makes what the client's programs start from, for the Node that runs this: `node caches.cjs`, or
 * `tidemark install`, which runs it where there is nothing that fits (ADR 48).
 */
import { makeCaches } from "./make.ts";
import { runCommand, runHook } from "./run.ts";

declare const __filename: string;
declare const __dirname: string;

const [, , part, program = "", cache = "", ...command] = process.argv;
if (part === "hook") runHook(program, cache);
else if (part === "command") runCommand(program, cache, command);
else {
  try {
    makeCaches(__filename, __dirname);
    process.stdout.write(`compiled for Node.js ${process.versions.node} in ${__dirname}\n`);
  } catch (cause) {
    process.stderr.write(`error: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = 1;
  }
}
