import type { AgentEvent } from "../event.ts";
import { commandRunOf, type CommandRun } from "../shell/outcome.ts";
import { editsOf, type Edit } from "./edit.ts";
import { editedFile } from "./files.ts";

/**
 * The edits that were taken back, each with the one that took it back: what such a file looks like
 * now, they have no part in. Files are set back by an edit the other way round, and by git.
 */
export function undoneEdits(
  events: readonly AgentEvent[],
  root: string | undefined,
): ReadonlySet<AgentEvent> {
  const undone = new Set<AgentEvent>();
  const standing = new Map<string, readonly Edited[]>();
  for (const event of events) {
    // Git keeps what was committed; what takes that back is a change of its own.
    if (hasCommitted(event)) standing.clear();
    for (const setBack of setBackBy(event, [...standing.keys()])) {
      standing.get(setBack)?.forEach((edited) => undone.add(edited.event));
    }
    const path = editedFile(event, root);
    if (path === undefined) continue;
    const before = standing.get(path) ?? [];
    const edits = editsOf(event);
    const reversed = before.findLast((edited) => isReverse(edited.edits, edits));
    if (reversed === undefined) standing.set(path, [...before, { event, edits }]);
    else undone.add(reversed.event).add(event);
  }
  return undone;
}

interface Edited {
  readonly event: AgentEvent;
  readonly edits: readonly Edit[];
}

/** Whether one edit is another the other way round, so that nothing of it is left. */
function isReverse(before: readonly Edit[], after: readonly Edit[]): boolean {
  const [edit, ...more] = before;
  const [other, ...others] = after;
  if (edit === undefined || other === undefined || more.length + others.length > 0) return false;
  return isSame(edit.before, other.after) && isSame(edit.after, other.before);
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}

function hasCommitted(event: AgentEvent): boolean {
  return doneRun(event)?.programs.some(({ kind }) => kind === "commit") === true;
}

/** The files among these that git was told to put back as they were. */
function setBackBy(event: AgentEvent, paths: readonly string[]): readonly string[] {
  const run = paths.length === 0 ? undefined : doneRun(event);
  return (run?.commands ?? []).flatMap(({ words: [program, verb, ...named] }) => {
    if (program !== "git") return [];
    if (verb === "reset" && named.includes("--hard")) return paths;
    if (verb !== "checkout" && verb !== "restore") return [];
    if (named.some((word) => elseMeant.has(word))) return [];
    return paths.filter((path) => named.some((name) => isNamed(name, path)));
  });
}

/** With these git leaves files as they are, or some of what was changed in them. */
const elseMeant: ReadonlySet<string> = new Set(["-b", "-B", "--staged", "--patch", "-p"]);

/** A command line that ran to its end and did not fail. */
function doneRun(event: AgentEvent): CommandRun | undefined {
  const run = commandRunOf(event);
  return run?.hasEnded === true && run.outcome !== "failed" ? run : undefined;
}

/** Whether a word of a command means a file: itself, its folder or all there is. */
function isNamed(word: string, path: string): boolean {
  const name = word.replace(/^\.\//u, "").replace(/\/$/u, "");
  return name === "." || name === path || (name !== "" && path.startsWith(`${name}/`));
}
