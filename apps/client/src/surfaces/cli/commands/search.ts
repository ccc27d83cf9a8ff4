import { searchObservations } from "../../../recall/search.ts";
import type { Command } from "../command.ts";
import { filterOf, scopeNotes, scopeOptions } from "../scope.ts";
import { listedOutcome } from "../shown.ts";

const limitDefault = 20;

/** Finds observations by words, best first. */
export const search: Command = {
  arguments: [{ syntax: "<words...>", help: "what to look for; any of the words is enough" }],
  options: scopeOptions,
  notes: scopeNotes,
  run: (deps, call) => {
    const memory = deps.memory();
    const at = { memory, home: deps.home(), nowMs: deps.clock.nowMs() };
    const filter = filterOf(at, call, limitDefault);
    if (!filter.ok) return filter;
    const answer = searchObservations(memory.store.reads, call.args[0] ?? "", filter.value);
    return listedOutcome(deps, answer, "nothing found");
  },
};
