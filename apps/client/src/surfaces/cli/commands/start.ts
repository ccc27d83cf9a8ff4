import { ok } from "@tidemark/protocol";
import { lastFailureName, readLastFailure } from "../../../sync/last-failure.ts";
import { namespaceStatuses } from "../../../sync/status.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Command } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { nextSteps, type Standing } from "../next-steps.ts";
import { statusOutput } from "./status.ts";

/** Says what to do next, given how things stand. */
export const start: Command = {
  run: async (deps) => {
    const { json, text = "" } = statusOutput(deps);
    const next = nextSteps(await standingOf(deps)).map((line) => `  ${safeText(line)}`);
    return ok({ json, text: `${text}\n\nnext:\n${next.join("\n")}` });
  },
};

async function standingOf(deps: CliDeps): Promise<Standing> {
  const { store } = deps.memory();
  const lastFailure = readLastFailure(store.upkeep.meta(lastFailureName));
  return {
    isPaired: deps.home().identity() !== undefined,
    observations: store.reads.counts().observations,
    lastFailure: lastFailure ?? null,
    namespaces: namespaceStatuses(store.replicas.replicas(), lastFailure).map((one) => ({
      ...one,
      conflicts: store.reads.counts(one.id).conflicts,
    })),
    untoldAgents: await untoldAgents(deps),
  };
}

/** Agents on this machine in whose settings nothing of Tidemark stands. */
async function untoldAgents(deps: CliDeps): Promise<readonly string[]> {
  const installer = await deps.installer();
  const untold = installer.agents.filter((agent) => {
    if (!installer.isFound(agent)) return false;
    const removal = installer.plan(agent, "uninstall");
    return removal.ok && removal.value.changes.length === 0;
  });
  return untold.map(({ title }) => title);
}
