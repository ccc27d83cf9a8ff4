import type { Environment } from "../platform/paths.ts";
import { startsWell } from "../platform/spawn-quick.ts";
import { dateText } from "../platform/date-text.ts";
import type { Check } from "./diagnose.ts";
import type { Home } from "./home.ts";
import { createInstaller } from "./installer.ts";
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
  const checks: Check[] = [];
  let isAny = false;
  for (const { agent, plan, removal } of plans) {
    // What cannot be read is no trouble of this installation where nothing of it is in there.
    if (!plan.ok || !removal.ok || removal.value.changes.length === 0) continue;
    isAny = true;
    if (plan.value.changes.length === 0) continue;
    const parts = [...new Set(plan.value.changes.map(({ part }) => part))].join(", ");
    const message = `${agent.title}: the ${parts} are not as this version installs them`;
    checks.push({ name, status: "WARN", message, fix: `tidemark install ${agent.name}` });
  }
  if (!isAny) return [{ name, status: "PASS", message: "none installed for", fix: "" }];
  const fix = "tidemark install --all";
  if (!startsWell(installer.launcher)) {
    const message = `${installer.launcher}, which agents start, does not start`;
    return [...checks, { name, status: "FAIL", message, fix }];
  }
  const titles = plans
    .filter(({ removal }) => removal.ok && removal.value.changes.length > 0)
    .map(({ agent }) => agent.title);
  const last = memory.store.sessions.lastEventAt();
  const heard = last === undefined ? "no hook was called yet" : `last hook ${dateText(last)}`;
  const message = `installed for ${titles.join(", ")}; ${heard}`;
  return [...checks, { name, status: "PASS", message, fix: "" }];
}
