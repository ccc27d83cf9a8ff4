import type { AgentEvent } from "../event.ts";
import { changeTitle } from "./change.ts";
import type { Failure } from "./failure.ts";
import { editedFile } from "./files.ts";
import { ranRemedies, type RanRemedy } from "./remedy.ts";

/** A failure on the way to a pass, and what was done about it until the next run. */
export interface Step {
  readonly event: AgentEvent;
  readonly failure: Failure;
  /** What was done and stands. */
  readonly remedies: readonly string[];
  /** What was done and taken back, by the time of the pass. */
  readonly undone: readonly string[];
  readonly files: readonly string[];
  readonly edits: readonly AgentEvent[];
}

/** A step to which events are added in their order. */
export interface OpenStep {
  add(event: AgentEvent): void;
  close(): Step;
}

interface Known {
  /** Edits that do not stand any more by the time of the pass. */
  readonly undone: ReadonlySet<AgentEvent>;
  readonly root: string | undefined;
}

/** Begins a step with a failure. */
export function openStep(event: AgentEvent, failure: Failure, { undone, root }: Known): OpenStep {
  const edits: { readonly edit: AgentEvent; readonly path: string }[] = [];
  const done: (string | RanRemedy)[] = [];
  const takenBack: string[] = [];
  // What stood in the line that failed as well is no news.
  const tried = new Set(failure.run.commands.map(({ text }) => text));
  return {
    add: (next) => {
      const path = editedFile(next, root);
      if (path === undefined) {
        done.push(...ranRemedies(next).filter(({ text }) => !tried.has(text)));
      } else if (undone.has(next)) {
        takenBack.push(changeTitle(next, path));
      } else {
        edits.push({ edit: next, path });
        done.push(changeTitle(next, path));
      }
    },
    close: () => ({
      event,
      failure,
      remedies: remediesOf(done),
      undone: takenBack,
      files: edits.map(({ path }) => path),
      edits: edits.map(({ edit }) => edit),
    }),
  };
}

/** What is sure where anything is. */
function remediesOf(done: readonly (string | RanRemedy)[]): readonly string[] {
  const isSure = (each: string | RanRemedy): boolean => typeof each === "string" || each.isSure;
  const told = done.some(isSure) ? done.filter(isSure) : done;
  return told.map((each) => (typeof each === "string" ? each : each.told));
}
