import { searchObservations } from "../../../recall/search.ts";
import { nearbyOf, type Nearby } from "../../../wiring/nearness.ts";
import type { Call, Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { looking } from "../looking.ts";
import { startProgress } from "../progress.ts";
import { filterOf, scopeNotes, scopeOptions } from "../scope.ts";
import { listedOutcome } from "../shown.ts";

const limitDefault = 20;

/** Finds observations by words, best first. */
export const search: Command = {
  arguments: [{ syntax: "<words...>", help: "what to look for; any of the words is enough" }],
  options: scopeOptions,
  notes: scopeNotes,
  run: async (deps, call) => {
    const memory = deps.memory();
    const at = { memory, home: deps.home(), nowMs: deps.clock.nowMs() };
    const filter = filterOf(at, call, limitDefault);
    if (!filter.ok) return filter;
    const query = call.args[0] ?? "";
    const nearby = await nearbyFor(deps, call, query);
    const { trouble } = nearby;
    const notes =
      trouble === undefined ? [] : [`by words alone: ${trouble.message} (${trouble.hint})`];
    const isAll = filter.value.limit === undefined;
    return await looking(deps, isAll ? "searching" : undefined, () => {
      const answer = searchObservations(memory.store.reads, query, filter.value, nearby.nearness);
      const listed = { ...answer, ...(trouble === undefined ? {} : { byWordsAlone: trouble }) };
      return listedOutcome(deps, listed, "nothing found", notes);
    });
  },
};

async function nearbyFor(deps: CliDeps, call: Call, query: string): Promise<Nearby> {
  const progress = startProgress(deps, { isRead: call.isJson });
  const { signal } = deps;
  const onWait = (): void => {
    progress.tell("waiting for the embedder");
  };
  const nearby = await nearbyOf(deps.home(), deps.memory(), query, { signal, onWait });
  progress.end();
  return nearby;
}
