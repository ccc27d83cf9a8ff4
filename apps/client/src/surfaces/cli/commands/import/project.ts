import type { BroughtProject } from "../../../../capture/brought/brought.ts";
import { normaliseRemote } from "../../../../capture/project.ts";
import { isThere } from "../../../../platform/settings-file.ts";
import type { Home } from "../../../../wiring/home.ts";

/**
 * Our project for another memory's: by its remote, else by its folder if that is here, else by its
 * name: the one project here that is called so, else a project of that name alone.
 */
export function broughtProject(
  told: BroughtProject | undefined,
  { home, known }: { readonly home: Home; readonly known: readonly string[] },
): string | undefined {
  if (told === undefined) return undefined;
  const { remote, folder, name } = told;
  const place = remote === undefined ? undefined : normaliseRemote(`https://${remote}`);
  if (place !== undefined) return `git:${place}`;
  if (folder !== undefined && isThere(folder)) return home.projectAt(folder);
  if (name === undefined) return undefined;
  const here = home.projectAt();
  const named = [...new Set([here, ...known])].filter((project) => lastPart(project) === name);
  return named.length === 1 ? named[0] : `name:${name}`;
}

function lastPart(project: string): string {
  return project.replace(/^name:/u, "").replace(/^.*\//u, "");
}
