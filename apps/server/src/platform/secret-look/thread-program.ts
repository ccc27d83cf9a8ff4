import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../hash.ts";

/** By the build: what names the text of the thread's program. The sources have none beside them. */
declare const secretLookHash: string;

/** Whether this was built, and with a thread's program beside it. */
export function isBuilt(): boolean {
  return typeof secretLookHash !== "undefined";
}

/**
 * The thread's program beside a module, where it is of the build that this program is of. An update
 * puts another in its place while a server still runs, and what that says is not known here (OPS110).
 */
export function threadProgram(module: string, hash: string = builtHash()): URL | undefined {
  const program = new URL("secret-look.js", module);
  try {
    return sha256Hex(readFileSync(fileURLToPath(program))).startsWith(hash) ? program : undefined;
  } catch {
    return undefined;
  }
}

function builtHash(): string {
  return isBuilt() ? secretLookHash : "none";
}
