import type { Command } from "./command.ts";

/** One verb: what `--help` says of it before anything of it is loaded. */
export interface Row {
  /** One word, or two: `device add`. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** The group of what is done with others and a server. */
export const share = "Sync and share";

/** Makes a row. */
export function row(path: string, group: string, summary: string, load: Row["load"]): Row {
  return { path, group, summary, load };
}
