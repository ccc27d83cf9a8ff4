import type { AgentEvent } from "../event.ts";
import { isFields, textOf } from "../json.ts";
import type { SimpleCommand } from "./command-line.ts";
import { simpleCommands } from "./command-line.ts";
import type { Program } from "./programs.ts";
import { isCheck, programOf } from "./programs.ts";

/** One run of a command line by an agent. */
export interface CommandRun {
  readonly line: string;
  /** The command that the run is about: its last check, else its first one that is not quiet. */
  readonly program: Program;
  /** Every command of the line, and the program of each. */
  readonly commands: readonly SimpleCommand[];
  readonly programs: readonly Program[];
  readonly outcome: "passed" | "failed" | "unknown";
  /** Whether it began and came to its end: a person may refuse it, and hosts give up on long ones. */
  readonly hasEnded: boolean;
  readonly response: string;
}

/** Answers by which a host says that a command did not run, or not to its end. */
const notRun = (): RegExp =>
  /^(?:<tool_use_error>|Error: <tool_use_error>|The user doesn't want to (?:proceed|take this action)|Request interrupted|\[Request interrupted|Command running in background|Command was (?:aborted|interrupted|manually backgrounded)|Permission (?:to use|denied by)|.{0,40}hook (?:error|denied|blocked))/u;
/** One of these is in the beginning of every such answer. */
const notRunSigns = [
  "<tool_use_error>", "The user doesn't want", "Request interrupted", "Command ", "Permission ",
  "hook ",
]; // prettier-ignore
const notRunCharsMax = 120;
/** Another, wherever it stands. */
const timedOut = "Command timed out after";

/**
 * Lines that only a run with failures prints. A count of zero is not among them. Each expression
 * comes with texts of which it needs one: looking for those costs a hook a hundredth of compiling
 * the expression.
 */
const failureLines: readonly (readonly [needed: readonly string[], line: () => RegExp])[] = [
  [
    [" failure"],
    () =>
      /^[ \t]*(?:\d+ doctests?, )?(?:\d+ properties, )?\d+ (?:tests?|examples?|specs?), (?:\d+ assertions, )?[1-9]\d* failures?/mu,
  ],
  [[" failed"], () => /^[ \t]*(?:Tests?|Test Files|Test Suites|Suites)\b[: ].*\b[1-9]\d* failed/mu],
  [[" failed", " error"], () => /^=+ .*\b[1-9]\d* (?:failed|errors?)\b.*=+[ \t]*$/mu],
  [[" failed", " failing"], () => /^[ \t]*[1-9]\d* (?:failed|failing)\b/mu],
  [
    ["FAIL", "not ok ", "fail "],
    () => /^test result: FAILED|^FAIL(?:ED)?\b|^[ \t]*--- FAIL:|^not ok \d|^\S{0,2} ?fail [1-9]/mu,
  ],
  [
    ["error", "npm ERR!", "[ERROR]", "ELIFECYCLE"],
    () => /\berror TS\d+:|^error(?:\[E\d+\])?:|^npm (?:ERR!|error)|^[ \t]*✘ \[ERROR\]|ELIFECYCLE/mu,
  ],
  [
    ["BUILD FAIL", "Found ", " problem"],
    () => /\bBUILD FAIL(?:ED|URE)\b|^Found [1-9]\d* errors?\b|[✖✘] [1-9]\d* problems?/mu,
  ],
  [
    ["** (", "Traceback", "panic: ", "fatal", ": *** "],
    () =>
      /^\*\* \(\w[\w.]*\)|^Traceback \(most recent call last\)|^panic: |^fatal(?: error)?: |^make(?:\[\d+\])?: \*\*\* /mu,
  ],
];

/** Signs that a check went well, asked for where a pipe hides its exit status. */
const successLines = (): RegExp =>
  /\b0 (?:failures?|failed|failing|errors?)\b|\bpassed\b|\bpassing\b|^ok\b|\bno issues\b|\bno errors\b|\bsucce(?:ss|eded)|^test result: ok|✓|^Generated \w+ app|\bBuilt? in\b|\bFinished\b/imu;

/** Several rules ask for the run of the same event. */
const runs = new WeakMap<AgentEvent, CommandRun | "none">();

/** The command run that an event tells of, or `undefined` where it tells of none. */
export function commandRunOf(event: AgentEvent): CommandRun | undefined {
  const known = runs.get(event);
  if (known !== undefined) return known === "none" ? undefined : known;
  const run = readRun(event);
  runs.set(event, run ?? "none");
  return run;
}

function readRun(event: AgentEvent): CommandRun | undefined {
  const { tool } = event;
  if (tool?.name !== "Bash" || !isFields(tool.input)) return undefined;
  const line = textOf(tool.input, "command");
  if (line === undefined) return undefined;
  const { commands, programs } = readLine(line);
  const index = subjectIndex(programs);
  const program = programs[index];
  const command = commands[index];
  if (program === undefined || command === undefined) return undefined;
  const response = tool.response ?? "";
  const hasEnded = !wasNotRun(response);
  const outcome = hasEnded ? outcomeOf(tool.ok, response, program, command) : "unknown";
  return { line, program, commands, programs, outcome, hasEnded, response };
}

interface ReadLine {
  readonly commands: readonly SimpleCommand[];
  readonly programs: readonly Program[];
}

/** Agents run the same few lines again and again. */
const linesMax = 256;
const readLines = new Map<string, ReadLine>();

function readLine(line: string): ReadLine {
  const known = readLines.get(line);
  if (known !== undefined) return known;
  const commands = simpleCommands(line);
  const read = { commands, programs: commands.map(programOf) };
  if (readLines.size >= linesMax) readLines.clear();
  readLines.set(line, read);
  return read;
}

function subjectIndex(programs: readonly Program[]): number {
  const check = programs.findLastIndex((program) => isCheck(program.kind));
  if (check >= 0) return check;
  const loud = programs.findIndex((program) => program.kind !== "quiet");
  return Math.max(loud, 0);
}

function outcomeOf(
  ok: boolean,
  response: string,
  program: Program,
  command: SimpleCommand,
): CommandRun["outcome"] {
  if (!ok || showsExitCode(response)) return "failed";
  if (program.kind === "quiet" || program.kind === "run" || program.kind === "commit") {
    return command.isMasked ? "unknown" : "passed";
  }
  if (showsFailure(response)) return "failed";
  return command.isMasked && !successLines().test(response) ? "unknown" : "passed";
}

function showsExitCode(response: string): boolean {
  return response.startsWith("E") && /^(?:Error: )?Exit code [1-9]/u.test(response);
}

function wasNotRun(response: string): boolean {
  if (response.includes(timedOut)) return true;
  const beginning = response.slice(0, notRunCharsMax);
  return holdsOne(beginning, notRunSigns) && notRun().test(response);
}

function showsFailure(response: string): boolean {
  return failureLines.some(([needed, line]) => holdsOne(response, needed) && line().test(response));
}

function holdsOne(text: string, parts: readonly string[]): boolean {
  return parts.some((part) => text.includes(part));
}
