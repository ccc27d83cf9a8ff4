import { shellWord } from "../install/command-line.ts";
import { ownCaches, type OwnCaches } from "../platform/code-cache/own-caches.ts";
import { runtimeVersion } from "../platform/mode.ts";
import { programPath } from "../platform/program.ts";
import type { Check } from "./diagnose.ts";

/** Whether hooks and commands start from what this Node has compiled; nothing of what runs unbuilt. */
export function checkStart(): readonly Check[] {
  const caches = ownCaches(programPath());
  const name = "start";
  const node = `Node.js ${runtimeVersion()}`;
  if (caches.state === "none") return [];
  if (caches.state === "fit") {
    const message = `hooks and commands start from what ${node} has compiled`;
    return [{ name, status: "PASS", message, fix: "" }];
  }
  const message = `what ${node} would start from is not there, or damaged: it starts later or not at all`;
  return [{ name, status: "WARN", message, fix: compileCommand(caches) }];
}

/** What makes the caches, by whoever may write beside the programs. */
export function compileCommand({ command, mayMake }: OwnCaches): string {
  const words = command.map((word) => shellWord(word)).join(" ");
  return mayMake ? words : `sudo ${words}`;
}
