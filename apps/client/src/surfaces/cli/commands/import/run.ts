import type { NamespaceId } from "@tidemark/protocol";
import type { Brought } from "../../../../capture/brought/brought.ts";
import type { BroughtPlace, BroughtReport } from "../../../../memory/bring.ts";
import type { ImportOptions } from "../../../../memory/import.ts";
import type { Home } from "../../../../wiring/home.ts";
import type { Memory } from "../../../../wiring/memory.ts";
import type { Progress } from "../../progress.ts";
import { broughtProject } from "./project.ts";
import { addedHeadline, type Taken } from "./taken.ts";

/** One call of `tidemark import`. */
export interface ImportRun {
  readonly memory: Memory;
  readonly home: Home;
  /** The namespace that a person named. */
  readonly into: NamespaceId | undefined;
  /** The project that a person named. */
  readonly project: string | undefined;
  readonly isDry: boolean;
  /** What of an export is taken where something else is here (IM14, IM15). */
  readonly wanted: Pick<ImportOptions, "differing" | "forgets" | "toldForgotten">;
  readonly progress: Pick<Progress, "tell">;
  /** Whether a person wants it to end; asked between two pieces of work. */
  readonly isStopped: () => Promise<boolean>;
}

/**
 * Where something of another memory goes: what a person named, else the personal namespace. What was
 * one person's is not a team's by being brought along.
 */
export function placeOfBrought({ memory, home, into, project }: ImportRun) {
  const known = memory.store.reads.projects();
  return (entry: Brought): BroughtPlace => ({
    namespace: into ?? memory.store.bindings.personal(),
    project: project ?? broughtProject(entry.project, { home, known }),
  });
}

/** What a report comes to. */
export function takenOf(kind: string, report: BroughtReport, isDry: boolean): Taken {
  const headline = addedHeadline(report, "observation", isDry);
  return { ...report, kind, headline, json: { kind, dryRun: isDry, ...report } };
}
