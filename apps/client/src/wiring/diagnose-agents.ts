import type { AgentSetup } from "../install/agent-setup.ts";
import type { PlanError } from "../install/plan.ts";
import type { Environment } from "../platform/paths.ts";
import { startsWell } from "../platform/spawn-quick.ts";
import { dateText } from "../platform/date-text.ts";
import type { Check } from "./diagnose.ts";
import type { Home } from "./home.ts";
import { createInstaller, type Installer } from "./installer.ts";
import type { Memory } from "./memory.ts";

const name = "agents";

/** Which agents Tidemark is installed for, and whether what they start does start (IN8). */
export function checkAgents(env: Environment, home: Home, memory: Memory): readonly Check[] {
  const installer = createInstaller(env, home);
  const plans = installer.agents.map((agent) => ({
    agent,
    plan: installer.plan(agent, "install"),
    removal: installer.plan(agent, "uninstall"),
  }));
  const broken = plans.flatMap(({ agent, plan, removal }) => {
    const error = plan.ok ? (removal.ok ? undefined : removal.error) : plan.error;
    // What cannot be read is no trouble of this installation where nothing of it is in there.
    return error !== undefined && installer.isNamedIn(agent) ? [brokenCheck(agent, error)] : [];
  });
  const installed = plans.filter(({ removal }) => removal.ok && removal.value.changes.length > 0);
  const checks = [...broken, ...installed.flatMap(({ agent, plan }) => changedCheck(agent, plan))];
  const isAny = installed.length > 0 || broken.length > 0;
  if (!isAny) return [{ name, status: "PASS", message: "none installed for", fix: "" }];
  const fix = "tidemark install --all";
  if (!startsWell(installer.launcher)) {
    const message = `${installer.launcher}, which agents start, does not start`;
    return [...checks, { name, status: "FAIL", message, fix }];
  }
  if (installed.length === 0) return checks;
  const titles = installed.map(({ agent }) => agent.title);
  const last = memory.store.sessions.lastEventAt();
  const heard = last === undefined ? "no hook was called yet" : `last hook ${dateText(last)}`;
  const message = `installed for ${titles.join(", ")}; ${heard}`;
  return [...checks, { name, status: "PASS", message, fix: "" }];
}

type Plan = ReturnType<Installer["plan"]>;

/** An agent that cannot read its settings either starts nothing that stands in them. */
function brokenCheck({ title }: AgentSetup, { path, message, hint }: PlanError): Check {
  return { name, status: "WARN", message: `${title}: ${path}: ${message}`, fix: hint };
}

function changedCheck(agent: AgentSetup, plan: Plan): readonly Check[] {
  if (!plan.ok || plan.value.changes.length === 0) return [];
  const parts = [...new Set(plan.value.changes.map(({ part }) => part))].join(", ");
  const message = `${agent.title}: the ${parts} are not as this version installs them`;
  return [{ name, status: "WARN", message, fix: `tidemark install ${agent.name}` }];
}
