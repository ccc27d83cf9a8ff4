import { totalBy } from "../../../recall/total.ts";
import type { Command } from "../command.ts";
import { looking } from "../looking.ts";
import { filterOf, scopeNotes, scopeOptions } from "../scope.ts";
import { listedOutcome } from "../shown.ts";

const limitDefault = 50;

/** Lists observations, newest first. */
export const list: Command = {
  options: scopeOptions,
  notes: scopeNotes,
  run: async (deps, call) => {
    const memory = deps.memory();
    const at = { memory, home: deps.home(), nowMs: deps.clock.nowMs() };
    const filter = filterOf(at, call, limitDefault);
    if (!filter.ok) return filter;
    const { reads } = memory.store;
    const isAll = filter.value.limit === undefined;
    return await looking(deps, isAll ? "listing" : undefined, () => {
      const items = reads.list(filter.value);
      const total = isAll
        ? { total: items.length }
        : totalBy((upTo) => reads.count(filter.value, upTo));
      return listedOutcome(deps, { items, ...total }, "no observations");
    });
  },
};
