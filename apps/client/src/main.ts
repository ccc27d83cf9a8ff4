/** The composition root of `tidemark`: wires the command line and runs it once. */
import { letGoOfLostTerminal } from "./platform/lost-terminal.ts";
import { closeUmask, environment, programArguments, setExitCode } from "./platform/program.ts";
import { runCli } from "./surfaces/cli/run-cli.ts";
import { groupSummaries, rows } from "./surfaces/cli/table.ts";
import { wireCli } from "./wiring/cli.ts";
import { version } from "./wiring/version.ts";

closeUmask();
letGoOfLostTerminal();
const env = environment();
const deps = wireCli(env, {
  version,
  verbs: { rows, groups: groupSummaries },
  programs: {
    mcp: async () => {
      await (await import("./wiring/mcp.ts")).serveMcp(env, version);
    },
    daemon: async () => {
      await (await import("./wiring/daemon.ts")).runDaemon(env);
    },
    dashboard: async () => {
      await (await import("./wiring/dashboard.ts")).runDashboard(env);
    },
    hook: async () => {
      await import("./surfaces/hooks/hook.ts");
    },
  },
});
void main();

async function main(): Promise<void> {
  // Whatever ends the process before a verb has ended is no success.
  setExitCode(1);
  try {
    setExitCode(await runCli(deps, programArguments()));
  } finally {
    deps.close();
  }
}
