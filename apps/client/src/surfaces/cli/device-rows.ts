import { row, type Row } from "./row.ts";

const device = "This device";

/** The verbs of this device alone. */
export const deviceRows: readonly Row[] = [
  row(
    "scrub",
    device,
    "take secrets out of a text, or look for them in files",
    async () => (await import("./commands/scrub.ts")).scrub,
  ),
  row(
    "install",
    device,
    "put hooks and the MCP server into agents' settings",
    async () => (await import("./commands/install.ts")).install,
  ),
  row(
    "uninstall",
    device,
    "take them out again",
    async () => (await import("./commands/install.ts")).uninstall,
  ),
  row(
    "doctor",
    device,
    "check this installation and say how to mend it",
    async () => (await import("./commands/doctor.ts")).doctor,
  ),
  row(
    "dashboard",
    device,
    "see memory, sessions, conflicts and sync in a browser",
    async () => (await import("./commands/programs.ts")).dashboard,
  ),
  row(
    "monitor",
    device,
    "see sessions, captures, tokens and sync live in the terminal",
    async () => (await import("./commands/monitor.ts")).monitor,
  ),
  row(
    "daemon",
    device,
    "keep this device in sync in the background",
    async () => (await import("./commands/programs.ts")).daemon,
  ),
  row(
    "hook",
    device,
    "capture an agent's hook payload from standard input",
    async () => (await import("./commands/programs.ts")).hook,
  ),
  row(
    "statusline",
    device,
    "print one short line for the foot of an agent's window",
    async () => (await import("./commands/programs.ts")).statusline,
  ),
  row(
    "mcp",
    device,
    "serve memory to an agent over MCP (stdio)",
    async () => (await import("./commands/programs.ts")).mcp,
  ),
  row(
    "completion",
    device,
    "print what lets a shell complete commands: bash, zsh or fish",
    async () => (await import("./commands/completion.ts")).completion,
  ),
  row("man", device, "print the manual page", async () => (await import("./commands/man.ts")).man),
];
