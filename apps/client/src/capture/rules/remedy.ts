import type { AgentEvent } from "../event.ts";
import { oneLine } from "../payload/clip.ts";
import type { SimpleCommand } from "../shell/command-line.ts";
import { commandRunOf } from "../shell/outcome.ts";
import { isCheck, type Program } from "../shell/programs.ts";
import { programTitle } from "./failure.ts";

/** A command that may have ended an error. */
export interface RanRemedy {
  /** The command as it was written. */
  readonly text: string;
  /** What is told of it. */
  readonly told: string;
  /**
   * Whether it changes what is checked, as an edit does. What only removes, moves, sets back or starts
   * anew is done for many ends: it is the remedy where there was no other.
   */
  readonly isSure: boolean;
}

const toldCharsMax = 100;

/** Edits in place, and changes that are taken from elsewhere or that git is told to take. */
const changing = (): RegExp =>
  /^(?:(?:g?sed|perl|ruby) (?:-\S+ )*-(?:-in-place|[a-zA-Z]*i)|git (?:apply|revert|cherry-pick|add (?:-f|--force)) |patch )/u;
const housekeeping = (): RegExp =>
  /^(?:rm|rmdir|mv|cp|ln|chmod|chown|mkdir|touch|kill|pkill|killall|git (?:checkout|restore|submodule|mv|rm|config|lfs)|(?:docker|podman)(?: compose|-compose)? (?:up|down|restart|start|rm|volume)|systemctl (?:re)?start|npm (?:cache|config|rebuild|dedupe)|pnpm (?:rebuild|store)|corepack|nvm|asdf|mise|rustup|createdb|dropdb) /u;
/** Scratch files are nothing that a check looks at. */
const scratch = (): RegExp => /^\/(?:tmp|var\/folders|private\/tmp|dev)(?:\/|$)/u;

/** What an event's command line changed, up to its check where it has one (CP13). */
export function ranRemedies(event: AgentEvent): readonly RanRemedy[] {
  const run = commandRunOf(event);
  if (run?.hasEnded !== true) return [];
  const check = run.programs.findIndex(({ kind }) => isCheck(kind));
  // Where there is a check, its outcome says nothing of what stands before it.
  if (check < 0 && run.outcome === "failed") return [];
  const before = check < 0 ? run.programs : run.programs.slice(0, check);
  return before.flatMap((program, index) => {
    const command = run.commands[index];
    const remedy = command === undefined ? undefined : remedyOf(program, command);
    return remedy ?? [];
  });
}

function remedyOf(program: Program, { words, text }: SimpleCommand): RanRemedy | undefined {
  if (program.kind === "install" || program.kind === "migrate") {
    return { text, told: running(programTitle(program)), isSure: true };
  }
  const line = words.join(" ");
  const isSure = changing().test(line);
  if (!isSure && (!housekeeping().test(line) || isScratch(words))) return undefined;
  return { text, told: running(oneLine(text, toldCharsMax)), isSure };
}

function running(command: string): string {
  return `running \`${command}\``;
}

/** Whether all that a command names is scratch. */
function isScratch([, ...words]: readonly string[]): boolean {
  const named = words.filter((word) => word.includes("/"));
  return named.length > 0 && named.every((word) => scratch().test(word));
}
