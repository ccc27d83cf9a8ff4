import { dirname } from "node:path";
import { isScrubbed } from "./bound-project.ts";
import type { Scrub } from "./scrub.ts";

/**
 * The folder that is meant by a path of a host's, which comes and is kept scrubbed (CP95). What was
 * scrubbed of it is found again in a folder that the program knows, such as its own, or in one around
 * that: where scrubbing that one gives how the path begins. Without a path, the first that is known.
 */
export function toldFolder(
  scrub: Pick<Scrub, "payload">,
  told: string | undefined,
  known: readonly string[],
): string {
  if (told === undefined) return known[0] ?? "";
  if (!isScrubbed(told)) return told;
  for (const folder of known.flatMap(withParents)) {
    const rest = restAfter(told, scrubbed(scrub, folder));
    if (rest !== undefined) return folder + rest;
  }
  return told;
}

function withParents(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withParents(above)];
}

function scrubbed(scrub: Pick<Scrub, "payload">, folder: string): string {
  const { cwd } = scrub.payload({ cwd: folder }) as { readonly cwd?: unknown };
  return typeof cwd === "string" ? cwd : "";
}

/** What comes behind the beginning of a path, where nothing is scrubbed of that. */
function restAfter(path: string, start: string): string | undefined {
  const rest = path.slice(start.length);
  const isWhole = path.startsWith(start) && /^(?:[\\/]|$)/u.test(rest);
  return isWhole && isScrubbed(start) && !isScrubbed(rest) ? rest : undefined;
}
