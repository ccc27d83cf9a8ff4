import { collections, ok } from "@tidemark/protocol";
import { timelineOf } from "../../../recall/timeline.ts";
import type { Memory } from "../../../wiring/memory.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { looking } from "../looking.ts";
import { timesAndNames } from "../names.ts";
import { observationLines } from "../render/observation.ts";
import { memoryAt, placeOption } from "../scope.ts";
import { failed } from "../shown.ts";

const reachDefault = 10;

/** Shows what happened around an observation. */
export const timeline: Command = {
  arguments: [{ syntax: "<id>", help: "an observation's id, or its first 6 characters or more" }],
  options: [
    placeOption,
    {
      flags: "--before <n>",
      help: `so many before it; ${reachDefault} unless given`,
      isCount: true,
    },
    { flags: "--after <n>", help: `so many after it; ${reachDefault} unless given`, isCount: true },
  ],
  notes: "Observations of the same project, oldest first; archived and superseded ones too.",
  run: async (deps, call) => {
    const memory = memoryAt(deps, call);
    if (!memory.ok) return memory;
    return await looking(deps, undefined, () => timelineOutcome(deps, call, memory.value));
  },
};

function timelineOutcome(deps: CliDeps, call: Call, memory: Memory): Outcome {
  const { reads } = memory.store;
  const [id = ""] = call.args;
  const found = reads.find(id, { collection: collections.observation });
  if (!found.ok) return failed(found.error);
  const anchor = reads.observation(found.value.namespace, found.value.id);
  if (anchor === undefined) return failed({ kind: "unknown-record", id });
  const items = timelineOf(reads, anchor, {
    before: call.count("before") ?? reachDefault,
    after: call.count("after") ?? reachDefault,
  });
  const lines = observationLines(items, deps.io, timesAndNames(deps));
  const marked = lines.map(
    (line, index) => `${items[index]?.id === anchor.id ? ">" : " "} ${line}`,
  );
  return ok({ json: { id: anchor.id, items, total: items.length }, text: marked.join("\n") });
}
