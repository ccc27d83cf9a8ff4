import { fail, ok, type Result } from "@tidemark/protocol";
import { safeText } from "../../../platform/terminal.ts";
import type { AgentSetup } from "../../../install/agent-setup.ts";
import { diffOf, type AgentPlan, type Verb } from "../../../install/plan.ts";
import type { Installer } from "../../../wiring/installer.ts";
import { isSure, stopped } from "../ask.ts";
import type { Call, Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { columns } from "../render/text.ts";
import { misuse, trouble, type Trouble } from "../trouble.ts";

const options: Command["options"] = [
  { flags: "--all", help: "every agent that is on this machine" },
  { flags: "--dry-run", help: "show what would change, and change nothing" },
  { flags: "-y, --yes", help: "do not ask" },
];
const argument = { syntax: "[agents...]", help: "names of agents; none lists them" };

/** Puts hooks and the MCP server into agents' settings. */
export const install: Command = {
  arguments: [argument],
  options,
  notes:
    "Shows what it changes first. What else stands in the files stays as it is, comments included;\n" +
    "running it again changes nothing. `tidemark uninstall` takes it out again. Where this Node.js\n" +
    "has not compiled the programs yet, it does so once, beside them.",
  run: async (deps, call) => await run(deps, call, "install"),
};

/** Takes them out again. */
export const uninstall: Command = {
  arguments: [argument],
  options,
  notes: "The memory itself stays; agents write to it and read from it no more.",
  run: async (deps, call) => await run(deps, call, "uninstall"),
};

async function run(deps: CliDeps, call: Call, verb: Verb): Promise<Outcome> {
  const installer = await deps.installer();
  if (call.words.length === 0 && !call.isOn("all")) return list(installer);
  const agents = chosen(installer, call);
  if (!agents.ok) return agents;
  const plans = planAll(installer, agents.value, verb);
  if (!plans.ok) return plans;
  const changed = plans.value.filter(({ changes }) => changes.length > 0);
  const isDry = call.isOn("dryRun");
  if (changed.length > 0 && !call.isJson) deps.io.out(shownDiffs(changed));
  if (isDry) return done(plans.value, verb, true);
  const names = changed.map(({ agent }) => agent.title).join(", ");
  const question = verb === "install" ? `Install for ${names}?` : `Uninstall from ${names}?`;
  if (changed.length > 0 && !(await isSure(deps, call, question))) return stopped;
  const applied = applyAll(installer, changed, verb);
  if (!applied.ok) return applied;
  compileOnce(deps, installer, verb);
  return done(plans.value, verb, false);
}

// What a package brings was compiled by the Node that packed it, which is seldom the one here.
function compileOnce({ io }: CliDeps, installer: Installer, verb: Verb): void {
  if (verb === "uninstall") return;
  const { state, mayMake, node, command, make } = installer.caches();
  if (state !== "missing") return;
  if (!mayMake) {
    io.err(`Hooks start sooner once this was run: ${command}\n`);
    return;
  }
  io.err(`Compiling for ${node}, so that hooks start sooner …\n`);
  if (!make()) io.err(`It cannot be compiled; hooks work without. To see why: ${command}\n`);
}

function chosen(installer: Installer, call: Call): Result<readonly AgentSetup[], Trouble> {
  const known = installer.agents;
  if (call.isOn("all")) {
    const found = known.filter((agent) => installer.isFound(agent));
    if (found.length > 0) return ok(found);
    const message = "no agent that Tidemark knows is on this machine";
    return fail(trouble({ code: "no-agent", message, hint: "tidemark install" }));
  }
  const unknown = call.words.find((word) => known.every(({ name }) => name !== word));
  if (unknown !== undefined) {
    const names = known.map(({ name }) => name).join(", ");
    return fail(misuse(`there is no agent ${unknown} to install for`, `one of: ${names}`));
  }
  return ok(known.filter(({ name }) => call.words.includes(name)));
}

function planAll(
  installer: Installer,
  agents: readonly AgentSetup[],
  verb: Verb,
): Result<readonly AgentPlan[], Trouble> {
  const plans: AgentPlan[] = [];
  for (const agent of agents) {
    const plan = installer.plan(agent, verb);
    // Nothing is changed for one where another cannot be.
    if (!plan.ok) return fail(fileTrouble(plan.error));
    plans.push(plan.value);
  }
  return ok(plans);
}

function applyAll(
  installer: Installer,
  plans: readonly AgentPlan[],
  verb: Verb,
): Result<void, Trouble> {
  // What agents are to start is there before they are told of it, and made anew for those who were.
  const made = verb === "install" ? installer.makeLauncher() : ok(undefined);
  if (!made.ok) return fail(fileTrouble(made.error));
  for (const plan of plans) {
    const applied = installer.apply(plan);
    if (!applied.ok) return fail(fileTrouble(applied.error));
  }
  if (verb === "uninstall" && !installer.agents.some(isIn)) installer.removeLauncher();
  return ok(undefined);

  function isIn(agent: AgentSetup): boolean {
    const left = installer.plan(agent, "uninstall");
    return !left.ok || left.value.changes.length > 0;
  }
}

function fileTrouble(error: { path: string; message: string; hint: string }): Trouble {
  const message = `${error.path}: ${error.message}`;
  return trouble({ code: "settings-file", message, hint: error.hint });
}

function shownDiffs(plans: readonly AgentPlan[]): string {
  const diffs = plans.flatMap(({ changes }) => changes.map((change) => safeLines(diffOf(change))));
  return `${diffs.join("\n\n")}\n\n`;
}

function safeLines(text: string): string {
  return text
    .split("\n")
    .map((line) => safeText(line))
    .join("\n");
}

function done(plans: readonly AgentPlan[], verb: Verb, isDry: boolean): Outcome {
  const items = plans.map(({ agent, changes }) => ({
    agent: agent.name,
    changed: !isDry && changes.length > 0,
    files: changes.map((change) => ({
      path: change.path,
      part: change.part,
      diff: diffOf(change),
    })),
  }));
  const lines = plans.map(({ agent, changes }) => lineOf(agent, changes.length > 0, verb, isDry));
  return ok({ json: { items, dryRun: isDry }, text: lines.join("\n") });
}

function lineOf(agent: AgentSetup, isChanged: boolean, verb: Verb, isDry: boolean): string {
  const state = verb === "install" ? "installed" : "uninstalled";
  if (!isChanged) {
    const already = verb === "install" ? "is installed already" : "is not installed";
    return `${agent.title}: Tidemark ${already}`;
  }
  if (isDry) return `${agent.title}: nothing was changed; leave out --dry-run to do it`;
  const next = verb === "install" ? agent.next : `restart ${agent.title}`;
  return `${agent.title}: ${state}; ${next}`;
}

function list(installer: Installer): Outcome {
  const items = installer.agents.map((agent) => {
    const found = installer.isFound(agent);
    const plan = installer.plan(agent, "install");
    const missing = plan.ok ? plan.value.changes.length : undefined;
    const parts = plan.ok ? plan.value.parts : undefined;
    return { agent: agent.name, title: agent.title, found, state: stateOf(missing, parts) };
  });
  const rows = items.map(({ agent, title, found, state }) => [
    agent,
    title,
    found ? state : state === "installed" ? state : "not on this machine",
  ]);
  const hint = items.some(({ found, state }) => found && state !== "installed")
    ? "\n\ninstall for all that are here: tidemark install --all"
    : "";
  return ok({ json: { items }, text: `${columns(rows)}${hint}` });
}

function stateOf(missing: number | undefined, parts = 0): string {
  if (missing === undefined) return "cannot be read";
  if (missing === 0) return "installed";
  return missing < parts ? "installed in part" : "not installed";
}
