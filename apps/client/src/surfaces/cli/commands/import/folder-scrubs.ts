import { isAbsolute } from "node:path";
import { isObject, type JsonValue } from "@tidemark/protocol";
import type { Scrub } from "../../../../memory/scrub.ts";
import { openDeviceHome, type Home } from "../../../../wiring/home.ts";
import { parseLine } from "./parsed-line.ts";
import type { ImportRun } from "./run.ts";

/** The scrub settings of the folders that a transcript tells of. */
export interface FolderScrubs {
  /** What scrubs a line: the settings of the folder that it, or one before it, names. */
  readonly scrubOf: (line: string) => Pick<Scrub, "payload" | "text">;
  /** The project of a folder that comes scrubbed. */
  readonly projectAt: (shown: string) => string;
}

/**
 * Has each line scrubbed as the hooks in its folder would have: what a project's file takes out is in
 * no memory, from wherever its transcripts are imported (CP99).
 */
export function folderScrubs({ home, memory }: ImportRun): FolderScrubs {
  const homes = new Map<string, Home>();
  const projects = new Map<string, string>();
  let last: Home | undefined;
  const enter = (folder: string): Home => {
    const known = homes.get(folder);
    if (known !== undefined) return known;
    const own = openDeviceHome(home.env, folder);
    homes.set(folder, own);
    const { cwd } = own.scrub.payload({ cwd: folder }) as { readonly cwd?: unknown };
    if (typeof cwd === "string") projects.set(cwd, own.projectAt());
    return own;
  };
  return {
    scrubOf: (line) => {
      const folder = folderIn(parseLine(line));
      if (folder !== undefined) last = enter(folder);
      return last?.scrub ?? memory.scrub;
    },
    projectAt: (shown) => {
      const project = projects.get(shown) ?? home.projectAt(shown);
      projects.set(shown, project);
      return project;
    },
  };
}

/** Claude Code names it in each line, Codex in what it calls the payload of some. */
function folderIn(value: JsonValue | undefined): string | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const { cwd, payload } = value;
  const told = cwd ?? (payload !== undefined && isObject(payload) ? payload["cwd"] : undefined);
  return typeof told === "string" && isAbsolute(told) ? told : undefined;
}
