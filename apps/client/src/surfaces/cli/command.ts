import type { Result } from "@tidemark/protocol";
import type { CliDeps } from "./deps.ts";
import type { Trouble } from "./trouble.ts";

/** One argument, written as commander wants it: `<id>`, `[words...]`. */
interface ArgumentSpec {
  readonly syntax: string;
  readonly help: string;
}

/** One option, written as commander wants it: `--kind <kind>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly help: string;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
  /** Its value is a whole number from 1 on. */
  readonly isCount?: boolean;
  readonly isHidden?: boolean;
}

/** What a command was called with. */
export interface Call {
  /** Arguments in order; a list of words is joined by spaces. */
  readonly args: readonly string[];
  /** The last argument word by word, where it takes several: paths may hold blanks. */
  readonly words: readonly string[];
  readonly isJson: boolean;
  /** Value of an option, by its long name in camel case. */
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  count(name: string): number | undefined;
  isOn(name: string): boolean;
}

/** What a command prints where it worked. */
export interface Output {
  /** The one document that `--json` prints; undefined where the command has written by itself. */
  readonly json: unknown;
  /** What people read; undefined where the command has written by itself. */
  readonly text: string | undefined;
  /** What is wrong all the same; decides the exit code. */
  readonly trouble?: Trouble | undefined;
}

/** How a command ended. */
export type Outcome = Result<Output, Trouble>;

/** One verb of the command line. */
export interface Command {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Printed below the options by `--help`. */
  readonly notes?: string;
  run(deps: CliDeps, call: Call): Outcome | Promise<Outcome>;
}
