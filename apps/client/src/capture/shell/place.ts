import type { AgentEvent } from "../event.ts";
import type { CommandRun } from "./outcome.ts";

/** A run with the event that tells of it, for the folder that it began in. */
export interface PlacedRun {
  readonly run: CommandRun;
  readonly event: AgentEvent;
}

const lineCharsMax = 2_000;

/** Whether two runs are of one program file and the later one began in another folder. */
export function isElsewhere(failed: PlacedRun, passed: PlacedRun): boolean {
  const [from, to] = [folderOf(failed), folderOf(passed)];
  const words = failed.run.program.name.split(" ");
  const others = passed.run.program.name.split(" ");
  if (from === to || words.length !== others.length || words[0] !== others[0]) return false;
  return (
    words.some(isPath) &&
    words.every((word, index) => {
      const other = others[index] ?? "";
      return isPath(word) && isPath(other)
        ? resolved(from, word) === resolved(to, other)
        : word === other;
    })
  );
}

/** The folder that a command line ran in, as far as it tells. */
export function folderOf({ run, event }: PlacedRun): string {
  const start = event.cwd ?? "";
  const moves = [
    ...run.line.slice(0, lineCharsMax).matchAll(/(?:^|&&|;|\n)\s*cd\s+["']?([^\s;&"']+)/gu),
  ];
  return moves.reduce((folder, [, to = ""]) => resolved(folder, to), start);
}

function isPath(word: string): boolean {
  return /^[\w./-]+\.[a-z]{1,4}$/u.test(word) || word.includes("/");
}

function resolved(folder: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
