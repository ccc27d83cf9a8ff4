import { isArray, isObject, type JsonObject, type JsonValue } from "@tidemark/protocol";
import type { Observation } from "../store/observation.ts";

/** What a session was for and what came of it, for whoever takes its work up. */
export interface Retrospective {
  readonly request: string | undefined;
  /** Files that it looked into and left as they were. */
  readonly investigated: readonly string[];
  /** What it found out, decided or was told, by title. */
  readonly learned: readonly string[];
  /** What it committed; where nothing was, what it changed. */
  readonly completed: readonly string[];
  readonly nextSteps: readonly string[];
}

const linesMax = 12;
const learnedKinds: ReadonlySet<string> = new Set(["fix", "discovery", "decision", "note"]);

/**
 * A session's retrospective, of its record and of what it left (LC1). Made when it is asked for, of
 * what syncs: every device tells the same, and what was forgotten since is in none.
 */
export function retrospectiveOf(
  session: JsonObject,
  observations: readonly Observation[],
): Retrospective {
  const outcome = objectOf(session["outcome"]);
  const titles = (isWanted: (kind: string) => boolean): readonly string[] =>
    observations
      .filter(({ kind, supersededBy }) => supersededBy === null && isWanted(kind))
      .map(({ title }) => title)
      .slice(0, linesMax);
  const commits = textsOf(outcome["commits"]);
  const changes = titles((kind) => kind === "change");
  return {
    request: textOf(session["request"]) ?? textOf(outcome["request"]),
    investigated: textsOf(outcome["filesRead"]).slice(0, linesMax),
    learned: titles((kind) => learnedKinds.has(kind)),
    completed: commits.length > 0 ? commits : changes,
    nextSteps: [...unsolvedOf(outcome["unsolved"]), ...textsOf(outcome["next"])],
  };
}

/** Its parts under their names, in order; those of which there is nothing to tell are left out. */
export function retrospectiveParts(
  told: Retrospective,
): readonly { readonly name: string; readonly items: readonly string[] }[] {
  return [
    { name: "Asked for", items: told.request === undefined ? [] : [told.request] },
    { name: "Looked into", items: told.investigated },
    { name: "Learned", items: told.learned },
    { name: "Completed", items: told.completed },
    { name: "Next", items: told.nextSteps },
  ].filter(({ items }) => items.length > 0);
}

function unsolvedOf(value: JsonValue | undefined): readonly string[] {
  const unsolved = objectOf(value);
  const [command, error] = [textOf(unsolved["command"]), textOf(unsolved["error"])];
  return command === undefined ? [] : [`make ${command} pass: ${error ?? "it failed"}`];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isObject(value) ? value : {};
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return value !== undefined && isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
