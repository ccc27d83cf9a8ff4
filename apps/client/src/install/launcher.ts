import { shellWord } from "./command-line.ts";

/** What the launcher starts. */
export interface Started {
  /** Path of the Node.js that runs now. */
  readonly node: string;
  /** Path of the program. */
  readonly program: string;
  /** Folder of the database, where it is not where it is looked for by itself. */
  readonly home: string | undefined;
}

/**
 * The file that agents start, a POSIX shell script. Its path never changes, so that settings and the
 * trust that an agent puts into them last, wherever Node.js and Tidemark lie after an update. Where
 * Tidemark is gone a hook and a status line end in silence: an agent is not to be told at each step.
 */
export function launcherText({ node, program, home }: Started): string {
  const lines = [
    "#!/bin/sh",
    "# Made by `tidemark install`, and again by each of its runs.",
    `node=${shellWord(node)}`,
    `program=${shellWord(program)}`,
    ...(home === undefined ? [] : [homeLine(home)]),
    `if [ ! -f "$program" ]; then`,
    `  case "$1" in hook | statusline) exit 0 ;; esac`,
    `  echo "tidemark is not at $program any more; run tidemark install again" >&2`,
    "  exit 1",
    "fi",
    `[ -x "$node" ] || node=node`,
    `exec "$node" "$program" "$@"`,
  ];
  return `${lines.join("\n")}\n`;
}

function homeLine(home: string): string {
  return `[ -n "$TIDEMARK_HOME" ] || { TIDEMARK_HOME=${shellWord(home)}; export TIDEMARK_HOME; }`;
}
