import { join } from "node:path";
import { fail, ok, type Result } from "@tidemark/protocol";
import type { AgentSetup, Place } from "../install/agent-setup.ts";
import { agentSetups } from "../install/agent-setups.ts";
import { shellWord } from "../install/command-line.ts";
import { launcherText } from "../install/launcher.ts";
import { planAgent, type AgentPlan, type PlanError, type Verb } from "../install/plan.ts";
import { ownCaches, type OwnCaches } from "../platform/code-cache/own-caches.ts";
import { removeLauncher, writeLauncher } from "../platform/launcher-file.ts";
import { runtimeVersion } from "../platform/mode.ts";
import type { Environment } from "../platform/paths.ts";
import { nodePath, programPath, systemName, userHome } from "../platform/program.ts";
import {
  isLink,
  isThere,
  readSettingsFile,
  replaceSettingsFile,
} from "../platform/settings-file.ts";
import { compileCommand } from "./diagnose-start.ts";
import type { Home } from "./home.ts";

/** Puts Tidemark into the agents of this machine, and takes it out. */
export interface Installer {
  readonly agents: readonly AgentSetup[];
  /** The file that agents start. */
  readonly launcher: string;
  /** Whether an agent is on this machine. */
  isFound(agent: AgentSetup): boolean;
  /** Whether a file of an agent's names what agents start, also one that cannot be understood. */
  isNamedIn(agent: AgentSetup): boolean;
  /** What a verb would change; changes nothing. */
  plan(agent: AgentSetup, verb: Verb): Result<AgentPlan, PlanError>;
  /** Makes the changes of one plan, file by file; each is changed whole or not at all. */
  apply(plan: AgentPlan): Result<void, PlanError>;
  /** Makes the file that agents start, or makes it anew. */
  makeLauncher(): Result<void, PlanError>;
  removeLauncher(): void;
  /** What hooks and commands start from. */
  caches(): StartCaches;
}

/** What hooks and commands start from, and the command line that makes it. */
export interface StartCaches extends Pick<OwnCaches, "state" | "mayMake" | "make"> {
  readonly node: string;
  readonly command: string;
}

const notOnWindows = {
  message: "a shell script starts Tidemark, which Windows does not run",
  hint: "install in WSL, or register the command `tidemark mcp` by hand",
};

/** The installer for the person who runs this. */
export function createInstaller(env: Environment, { paths }: Home): Installer {
  const launcher = join(paths.home, "bin", "tidemark");
  // As a script and as settings in JSON and TOML write it.
  const names = [shellWord(launcher), launcher, JSON.stringify(shellWord(launcher)).slice(1, -1)];
  const place: Place = { home: userHome(env), env: setIn(env), system: systemName(), launcher };
  return {
    agents: agentSetups,
    launcher,
    isFound: (agent) => agent.traces(place).some((path) => isThere(path)),
    isNamedIn: (agent) =>
      agent.files(place).some(({ path }) => {
        const text = readSettingsFile(path);
        return text.ok && names.some((each) => text.value?.includes(each) === true);
      }),
    plan: (agent, verb) => planAgent(agent, verb, { place, read: readSettingsFile, isLink }),
    apply: ({ changes }) => {
      for (const { path, ...change } of changes) {
        const done = replaceSettingsFile(path, change);
        if (!done.ok) return fail({ ...done.error, path });
      }
      return ok(undefined);
    },
    makeLauncher: () => {
      if (place.system === "win32") return fail({ ...notOnWindows, path: launcher });
      const own = env["TIDEMARK_HOME"];
      const home = own === undefined || own === "" ? undefined : paths.home;
      const text = launcherText({ node: nodePath(), program: programPath(), home });
      const written = writeLauncher(launcher, text);
      if (written.ok) return written;
      const { hint } = written.error;
      return fail({ path: launcher, message: "it cannot be written", hint });
    },
    removeLauncher: () => {
      removeLauncher(launcher);
    },
    caches: () => {
      const caches = ownCaches(programPath());
      return { ...caches, node: `Node.js ${runtimeVersion()}`, command: compileCommand(caches) };
    },
  };
}

/** What is set and empty counts as not set, as agents and the XDG specification have it. */
function setIn(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}
