import { Command, CommanderError } from "commander";
import { renderSettings } from "../config/help.ts";
import { settings, type SettingKey } from "../config/settings.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { runBackup } from "./backup.ts";
import { endAtSignals } from "./end-at-signals.ts";
import { runKeysRotate } from "./keys-rotate.ts";
import { runMigrate } from "./migrate.ts";
import { printError } from "./print-error.ts";
import { addSettings, readSettings, type Flags } from "./read-settings.ts";
import { runRestore } from "./restore.ts";
import { runServe } from "./serve.ts";
import { runOwnerReset, runSetupLink } from "./setup-link.ts";
import { runShowConfig } from "./show-config.ts";
import { UserError } from "./user-error.ts";

const databaseKeys: readonly SettingKey[] = ["dataDir", "databaseUrl"];
const keyKeys: readonly SettingKey[] = [...databaseKeys, "masterKeyFile"];
const linkKeys: readonly SettingKey[] = [...databaseKeys, "host", "port", "publicUrls"];
const serveKeys = Object.keys(settings) as SettingKey[];

const jsonOption = ["--json", "print one JSON document"] as const;
const lostOption = [
  "--i-have-lost-my-database",
  "start anew although the data directory remembers an owner",
] as const;

/** Runs one command line. Gives the exit code, or undefined while the server goes on running. */
export async function runProgram(deps: CommandDeps): Promise<number | undefined> {
  const { terminal } = deps;
  const isJson = terminal.args.includes("--json");
  let isServing = false;
  const program = createProgram(deps, () => {
    isServing = true;
  });
  program.hook("preAction", (_program, command) => {
    // A server drains first.
    if (command.name() !== "serve") endAtSignals(deps, isJson);
  });
  try {
    await program.parseAsync([...terminal.args], { from: "user" });
    return isServing ? undefined : 0;
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return 0;
    return printError(
      terminal,
      cause instanceof CommanderError ? usageError(cause) : cause,
      isJson,
    );
  }
}

function createProgram(deps: CommandDeps, onServing: () => void): Command {
  const { terminal } = deps;
  const program = new Command("tidemark-server")
    .description("The sync server of Tidemark.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        terminal.print(text);
      },
      writeErr: (text) => {
        terminal.printError(text);
      },
      outputError: () => {},
    })
    .addHelpText("after", `\nSettings:\n${renderSettings()}`);
  const serve = program
    .command("serve", { isDefault: true })
    .description("run the server (also without a command)");
  addSettings(serve, serveKeys)
    .option(...lostOption)
    .allowExcessArguments()
    .action(async (flags: Flags) => {
      // A word that names no command ends up here, because this is the default one.
      const [unknown] = serve.args;
      if (unknown !== undefined) throw usage(`there is no command '${unknown}'`);
      await runServe(deps, readSettings(terminal, flags), { hasLostDatabase: hasLost(flags) });
      onServing();
    });
  addOther(program, deps);
  addCopies(program, deps);
  addConfig(program, deps);
  return program;
}

function addConfig(program: Command, deps: CommandDeps): void {
  const config = program
    .command("config")
    .description("print the settings that `serve` would go by, and where each comes from");
  addSettings(config, serveKeys)
    .option(...jsonOption)
    .action((flags: Flags) => {
      runShowConfig(deps, flags, { isJson: isJson(flags) });
    });
}

function addCopies(program: Command, deps: CommandDeps): void {
  const { terminal } = deps;
  const backup = program
    .command("backup <file>")
    .description("write all that the database holds into a new file, also while the server runs");
  addSettings(backup, databaseKeys)
    .option(...jsonOption)
    .action(async (file: string, flags: Flags) => {
      await runBackup(deps, readSettings(terminal, flags), { file, isJson: isJson(flags) });
    });
  const restore = program
    .command("restore <file>")
    .description("put a backup into an empty database; servers on it have to be stopped");
  addSettings(restore, databaseKeys)
    .option("--replace", "also where the database has a server already, which is gone then")
    .option(...jsonOption)
    .action(async (file: string, flags: Flags) => {
      const options = { file, isJson: isJson(flags), mayReplace: flags["replace"] === true };
      await runRestore(deps, readSettings(terminal, flags), options);
    });
}

function addOther(program: Command, deps: CommandDeps): void {
  const { terminal } = deps;
  const migrate = program
    .command("migrate")
    .description("bring the database's tables up to date, as `serve` does at its start");
  addSettings(migrate, databaseKeys)
    .option(...jsonOption)
    .action(async (flags: Flags) => {
      await runMigrate(deps, readSettings(terminal, flags), { isJson: isJson(flags) });
    });
  const link = program
    .command("setup-link")
    .description("print a link that makes whoever opens it first the owner");
  addSettings(link, linkKeys)
    .option(...jsonOption)
    .option(...lostOption)
    .action(async (flags: Flags) => {
      const options = { isJson: isJson(flags), hasLostDatabase: hasLost(flags) };
      await runSetupLink(deps, readSettings(terminal, flags), options);
    });
  const reset = program
    .command("owner-reset")
    .description("print a link that lets a new device of the owner in, where all are lost");
  addSettings(reset, linkKeys)
    .option(...jsonOption)
    .action(async (flags: Flags) => {
      const options = { isJson: isJson(flags), hasLostDatabase: false };
      await runOwnerReset(deps, readSettings(terminal, flags), options);
    });
  const keys = program.command("keys").description("manage the keys that sign access tokens");
  const rotate = keys
    .command("rotate")
    .description("sign with the next key, once it was published for a day");
  addSettings(rotate, keyKeys)
    .option("--now", "at once")
    .option(
      "--revoke <kid>",
      "refuse tokens by this key from now on; devices sign in by themselves",
    )
    .option(...jsonOption)
    .action(async (flags: Flags) => {
      const { now, revoke } = flags;
      await runKeysRotate(deps, readSettings(terminal, flags), {
        isJson: isJson(flags),
        isNow: now === true,
        revoke: typeof revoke === "string" ? revoke : undefined,
      });
    });
}

function isJson(flags: Flags): boolean {
  return flags["json"] === true;
}

function hasLost(flags: Flags): boolean {
  return flags["iHaveLostMyDatabase"] === true;
}

function usageError(cause: CommanderError): UserError {
  const message = cause.message.replace(/^error: /, "").split("\n")[0] ?? "";
  // Shown by commander where a command needs another one after it.
  const text = message.startsWith("(") ? "name a command" : message;
  return usage(text);
}

function usage(message: string): UserError {
  const hint = "tidemark-server --help shows the commands and settings";
  return new UserError({ code: "usage", message, hint }, 2);
}
