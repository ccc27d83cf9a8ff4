import { Command as Program, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Call, Command, OptionSpec } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import type { Row } from "./row.ts";
import { groupSummaries, rows, start } from "./table.ts";
import { misuse, type Trouble } from "./trouble.ts";

/** What the arguments ask for. */
export type Parsed =
  | { readonly kind: "command"; readonly command: Command; readonly call: Call }
  /** Help or version, written already. */
  | { readonly kind: "printed" }
  | { readonly kind: "misused"; readonly trouble: Trouble };

/** Reads the arguments; loads only the verb that they name. */
export async function parseArguments(given: readonly string[], deps: CliDeps): Promise<Parsed> {
  const argv = asOptions(given);
  const row = rowOf(argv);
  const program = createProgram(deps);
  let called: { readonly command: Command; readonly call: Call } | undefined;
  const wanted = row === undefined ? undefined : await row.load();
  const target = row === undefined || row.path === "" ? program : addRow(program, row);
  if (wanted !== undefined) {
    describe(target, wanted);
    target.action(() => {
      called = { command: wanted, call: callOf(target) };
    });
  }
  for (const other of rows) if (other !== row) addRow(program, other);
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode === 0) return { kind: "printed" };
    return { kind: "misused", trouble: misuseOf(cause, pathOf(row, argv)) };
  }
  return called === undefined ? { kind: "printed" } : { kind: "command", ...called };
}

/** `help save` asks for what `save --help` prints, `version` for what `--version` does. */
function asOptions(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "version" && rest.length === 0) return ["--version"];
  if (first !== "help") return isUnknown(argv) ? argv.filter((word) => !isHelp(word)) : argv;
  const words = rest.filter((word) => !word.startsWith("-"));
  // An unknown word is left alone, so that it is told as one.
  const isKnown = words.length === 0 || rows.some(({ path }) => startsWith(path, words));
  return isKnown ? [...words, "--help"] : words;
}

/** Help of a word that is no command would be the help of all. */
function isUnknown(argv: readonly string[]): boolean {
  const [first = ""] = argv;
  return first !== "" && !first.startsWith("-") && !rows.some(({ path }) => startsWith(path, [first])); // prettier-ignore
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

function startsWith(path: string, words: readonly string[]): boolean {
  return `${path} `.startsWith(`${words.join(" ")} `);
}

function rowOf(argv: readonly string[]): Row | undefined {
  const words = argv.filter((argument) => !argument.startsWith("-"));
  const [first = "", second = ""] = words;
  if (first === "") return start;
  return (
    rows.find(({ path }) => path === `${first} ${second}`) ??
    rows.find(({ path }) => path === first)
  );
}

function createProgram(deps: CliDeps): Program {
  const program = new Program("tidemark");
  program
    .description("Memory for coding agents: kept on this device, scrubbed of secrets, synced.")
    .version(deps.version, "-V, --version", "print the version")
    .option("--json", "print one JSON document")
    .enablePositionalOptions()
    .helpCommand(false)
    .configureOutput({ writeOut: deps.io.out, writeErr: () => undefined })
    .addHelpText("after", "\nHelp of one command: tidemark help <command>")
    .configureHelp({ showGlobalOptions: false, subcommandTerm: (command) => command.name() })
    .exitOverride();
  return program;
}

/** Adds a verb, and the word before it where it is the first of its group. */
function addRow(program: Program, { path, group, summary }: Row): Program {
  const [first = "", second] = path.split(" ");
  if (second === undefined) {
    const known = findCommand(program, first);
    return (known ?? addCommand(program, first))
      .summary(summary)
      .description(summary)
      .helpGroup(`${group}:`);
  }
  const parent = findCommand(program, first) ?? addCommand(program, first);
  const about = groupSummaries[first];
  if (about !== undefined) parent.summary(about).description(about).helpGroup(`${group}:`);
  return addCommand(parent, second).summary(summary).description(summary);
}

function findCommand(program: Program, name: string): Program | undefined {
  return program.commands.find((command) => command.name() === name);
}

function addCommand(parent: Program, name: string): Program {
  return parent
    .command(name)
    .helpCommand(false)
    .option("--json", "print one JSON document")
    .allowExcessArguments(false);
}

function describe(target: Program, command: Command): void {
  for (const { syntax, help } of command.arguments ?? []) target.argument(syntax, help);
  for (const spec of command.options ?? []) target.addOption(optionOf(spec));
  target.allowExcessArguments(false);
  if (command.notes !== undefined) target.addHelpText("after", `\n${command.notes}`);
}

function optionOf({ flags, help, isRepeatable, isCount, isHidden }: OptionSpec): Option {
  const option = new Option(flags, isRepeatable === true ? `${help} (repeatable)` : help);
  if (isRepeatable === true) {
    option.argParser((text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      text,
    ]);
  }
  if (isCount === true) option.argParser(countOf);
  if (isHidden === true) option.hideHelp();
  return option;
}

function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,9}$/u.test(text) || count < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  }
  return count;
}

function callOf(target: Program): Call {
  const options = target.optsWithGlobals<Record<string, unknown>>();
  return {
    args: target.processedArgs.map((argument: unknown) =>
      Array.isArray(argument) ? argument.join(" ") : textOf(argument),
    ),
    words: wordsOf(target.processedArgs.at(-1)),
    isJson: options["json"] === true,
    text: (name) => (typeof options[name] === "string" ? options[name] : undefined),
    texts: (name) => (Array.isArray(options[name]) ? (options[name] as readonly string[]) : []),
    count: (name) => (typeof options[name] === "number" ? options[name] : undefined),
    isOn: (name) => options[name] === true,
  };
}

function wordsOf(argument: unknown): readonly string[] {
  return Array.isArray(argument) ? argument.map(textOf) : [];
}

function textOf(argument: unknown): string {
  return typeof argument === "string" ? argument : "";
}

/** What help is for: a command, or the word that several begin with where one of them was meant. */
function pathOf(row: Row | undefined, [first = ""]: readonly string[]): string {
  if (row !== undefined) return row.path;
  return rows.some(({ path }) => path.startsWith(`${first} `)) ? first : "";
}

function misuseOf(error: CommanderError, path: string): Trouble {
  const message = error.message.replace(/^error: /u, "").split("\n")[0] ?? "wrong usage";
  const suggestion = /\(Did you mean (.+)\?\)/u.exec(error.message)?.[1];
  if (suggestion !== undefined) return misuse(message, `did you mean ${suggestion}?`);
  const verb = path === "" ? "" : ` ${path}`;
  const isMissing = error.code === "commander.help";
  return misuse(isMissing ? "a command is missing" : message, `tidemark${verb} --help`);
}
