import { ok, type Result } from "@tidemark/protocol";
import { explain, type MemoryError } from "../../memory/explain.ts";
import type { Changed } from "../../store/local-store.ts";
import type { Memory } from "../../wiring/memory.ts";
import type { Outcome } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { observationText } from "./render/observation.ts";
import type { Total } from "../../recall/total.ts";
import { counted } from "./render/text.ts";
import { observationLines } from "./render/observation.ts";
import { trouble } from "./trouble.ts";
import { namesOf, timesAndNames } from "./names.ts";
import type { Observation } from "../../store/observation.ts";

/** A failure of memory as a command's. */
export function failed(error: MemoryError): {
  readonly ok: false;
  readonly error: ReturnType<typeof trouble>;
} {
  return { ok: false, error: trouble(explain(error)) };
}

/** How a change ended, with the observation as it is then. */
export function changedOutcome(
  deps: CliDeps,
  memory: Memory,
  changed: Result<Changed, MemoryError>,
  done: string,
): Outcome {
  if (!changed.ok) return failed(changed.error);
  const { id, namespace } = changed.value;
  const observation = memory.store.reads.observation(namespace, id);
  const text = changed.value.changed ? `${done} ${id}` : `nothing to change: ${id}`;
  const isLong = observation !== undefined && deps.io.isOutTty;
  const frame = { nowMs: deps.clock.nowMs(), names: namesOf(deps) };
  return ok({
    json: observation ?? { id, namespace },
    text: isLong ? `${text}\n\n${observationText(observation, deps.io, frame)}` : text,
  });
}

/** Observations with their number in all. */
export function listedOutcome(
  deps: CliDeps,
  listed: Total & { readonly items: readonly Observation[]; readonly near?: readonly string[] },
  nothing: string,
  notes: readonly string[] = [],
): Outcome {
  const { items, total, totalIsAtLeast, near } = listed;
  const lines = [...observationLines(items, deps.io, { ...timesAndNames(deps), near })];
  if (items.length === 0) lines.push(nothing);
  const left = total - items.length;
  const least = totalIsAtLeast === true ? "at least " : "";
  if (left > 0) lines.push(`… ${least}${counted(left, "more observation")}: --limit or --all`);
  lines.push(...notes);
  return ok({ json: listed, text: lines.join("\n") });
}
