import { createTwoFilesPatch } from "diff";
import { fail, ok, type Result } from "@tidemark/protocol";
import type { AgentFile, AgentSetup, Place } from "./agent-setup.ts";
import type { EditError } from "./edit-error.ts";

/** What is done to agents' settings. */
export type Verb = "install" | "uninstall";

/** One file as it is and as it is to be. */
export interface FileChange {
  readonly path: string;
  readonly part: string;
  /** Undefined where there is no file. */
  readonly before: string | undefined;
  /** Undefined where the file is to go: nothing but Tidemark's part was in it. */
  readonly after: string | undefined;
  /** Whether the agent starts it. */
  readonly isProgram: boolean;
}

/** What becomes of one agent. */
export interface AgentPlan {
  readonly agent: AgentSetup;
  /** The files that change. */
  readonly changes: readonly FileChange[];
  /** How many parts there are in all. */
  readonly parts: number;
}

/** Why a file is left alone. */
export interface PlanError extends EditError {
  readonly path: string;
}

/** Reads a text file; undefined where there is none. */
export type ReadText = (path: string) => Result<string | undefined, EditError>;

/** What is looked at while a plan is made. */
export interface Looks {
  readonly place: Place;
  readonly read: ReadText;
  /** Whether a path is a link: what it leads to is kept elsewhere, and never removed. */
  readonly isLink: (path: string) => boolean;
}

/** Works out what a verb changes for one agent; changes nothing itself. */
export function planAgent(
  agent: AgentSetup,
  verb: Verb,
  looks: Looks,
): Result<AgentPlan, PlanError> {
  const changes: FileChange[] = [];
  const files = agent.files(looks.place);
  for (const file of files) {
    const change = changeOf(file, verb, looks);
    if (!change.ok) return fail({ ...change.error, path: file.path });
    if (change.value !== undefined) changes.push(change.value);
  }
  return ok({ agent, changes, parts: files.length });
}

function changeOf(
  file: AgentFile,
  verb: Verb,
  { read, isLink }: Looks,
): Result<FileChange | undefined, EditError> {
  const { path, part, isProgram = false } = file;
  const found = read(path);
  if (!found.ok) return found;
  const before = found.value;
  if (before === undefined && verb === "uninstall") return ok(undefined);
  const edited = file[verb](before ?? "");
  if (!edited.ok) return edited;
  if (edited.value === (before ?? "")) return ok(undefined);
  const isEmpty = verb === "uninstall" && /^\s*(?:\{\s*\}\s*)?$/u.test(edited.value);
  const after = isEmpty && !isLink(path) ? undefined : edited.value;
  return ok({ path, part, isProgram, before, after });
}

/** A change as a unified diff, the way `diff -u` prints it. */
export function diffOf({ path, before, after }: FileChange): string {
  const from = before === undefined ? "/dev/null" : path;
  const to = after === undefined ? "/dev/null" : path;
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", "", "", { context: 2 });
  return patch.replace(/^(?:Index: .*\n)?=+\n/u, "").trimEnd();
}
